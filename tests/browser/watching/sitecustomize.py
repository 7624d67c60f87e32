"""Imported by Python at its start where this folder is in PYTHONPATH: writes down what the process opens and asks.

A line of JSON for each file that is opened, folder that is listed, process that is started and host that is asked for.
"""

import json
import os
import sys

EVENTS = {
    "open", "os.listdir", "os.scandir", "subprocess.Popen", "os.system", "socket.connect", "socket.getaddrinfo",
    "socket.sendto",
}  # fmt: skip
_LOG = os.open(os.environ["FAIRVIZ_WATCHED"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)


def _written(value: object) -> str:
    return os.fsdecode(value) if isinstance(value, (bytes, os.PathLike)) else str(value)


def _watch(event: str, arguments: tuple) -> None:
    if event in EVENTS:
        about = arguments[1] if event in ("socket.connect", "socket.sendto") else arguments[0]
        os.write(_LOG, (json.dumps([event, _written(about)]) + "\n").encode())


sys.addaudithook(_watch)
