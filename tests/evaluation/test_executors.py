"""A Dask cluster that cannot be used, and what is printed of one."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from fairviz.errors import FairvizError
from fairviz.evaluation import executors
from fairviz.evaluation.executors import on_cluster


@pytest.mark.parametrize(
    ("content", "trouble"),
    [
        (b"{}", "it has no address"),
        (b"[]", "it has no address"),
        (b'{"address": 5}', "it has no address"),
        (b"", "Expecting value"),
        (b"\xff\xfe\0", "can't decode byte 0xff"),
    ],
)
def test_a_file_that_is_of_no_scheduler_is_refused(tmp_path: Path, content: bytes, trouble: str) -> None:
    file = tmp_path / "scheduler.json"
    file.write_bytes(content)
    with pytest.raises(FairvizError) as caught:
        list(on_cluster(str(file), print)(len, ["item"]))
    assert caught.value.message.startswith(f"{file} is not a scheduler file (")
    assert trouble in caught.value.message
    assert caught.value.remedy == "Name the file that `dask scheduler --scheduler-file FILE` wrote."


def test_a_scheduler_that_does_not_answer() -> None:
    with pytest.raises(FairvizError, match=r"no scheduler with workers answers at tcp://127\.0\.0\.1:9"):
        list(on_cluster("tcp://127.0.0.1:9", print, 1)(len, ["item"]))


@pytest.mark.parametrize(
    ("package", "version", "message"),
    [
        ("numpy", "1.0", "1 worker, other versions: numpy 1.0, here 2"),
        ("fairviz", None, "workers have fairviz not installed, here it is 9"),
    ],
)
def test_other_versions_of_workers_are_said_and_another_fairviz_is_refused(
    package: str, version: str | None, message: str
) -> None:
    here = dict.fromkeys(executors.PACKAGES, "2") | {"fairviz": "9"}
    versions = {"client": {"packages": here}, "workers": {"tcp://w": {"packages": here | {package: version}}}}
    client = SimpleNamespace(get_versions=lambda packages: versions, dashboard_link="")
    if package == "fairviz":
        with pytest.raises(FairvizError, match=message):
            executors._described(client)
    else:
        assert executors._described(client) == message
