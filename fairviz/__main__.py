"""The commands `fairviz` and `python -m fairviz`."""

import atexit
import gc
import os
import sys

OBJECTS = 20_000  # new ones until the collector of garbage looks: a command's libraries make many, which all stay
HOOK, STOPPED, FAILED = sys.excepthook, 130, 1
SPARED = 2 * 1024**3  # bytes, a limit of memory under which libraries get one thread
NEEDED = {"RLIMIT_AS": 640, "RLIMIT_DATA": 320}  # megabytes, under which compiled libraries end the process themselves
NO_MEMORY = "there is not enough memory\nEnd other programs, raise the limit (`ulimit -v`), or use a smaller study.\n"
# What libraries say of it where they do not raise MemoryError: of a module, a thread, a system call
MEMORY_WORDS = ("failed to map segment", "can't start new thread", "Cannot allocate memory", "bad_alloc",
                "error return without exception set", "Insufficient memory")  # fmt: skip


def _causes(error):
    """Yield the error and those behind it: modules and libraries convert errors into their own."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _line_of(error):
    """Return the line and the status of an end by Ctrl-C or without memory; None for any other error."""
    causes = list(_causes(error))
    if any(isinstance(cause, KeyboardInterrupt) for cause in causes):
        return "stopped\n", STOPPED
    if any(isinstance(cause, MemoryError) or any(word in str(cause) for word in MEMORY_WORDS) for cause in causes):
        return NO_MEMORY, FAILED
    return None


def _leave(line, status):
    """Print the line and end at once: threads could wait for memory, or for each other."""
    sys.stderr.write(line)
    sys.stderr.flush()
    os._exit(status)


def _hook(kind, error, trace):
    """Print one line for Ctrl-C before `run` begins, also where a module that is just imported converts it."""
    if (line := _line_of(error)) is None:
        HOOK(kind, error, trace)
    else:
        _leave(*line)


sys.excepthook = _hook  # before the first import

from fairviz import interrupts  # noqa: E402


def run() -> int:
    """Run the command line, with one line at Ctrl-C or without memory, and escapes for other characters."""
    gc.set_threshold(OBJECTS, 20, 20)
    _use_utf8()
    atexit.register(_end)  # before all others, so that it runs after them
    try:
        interrupts.install()
        status = _run()
    except BaseException as error:
        if isinstance(error, SystemExit):
            raise
        if interrupts.is_pressed():
            sys.stderr.write("stopped\n")  # a library may convert the interrupt into its own error
            interrupts.leave()
        if (line := _line_of(error)) is None:
            raise
        del error
        _leave(*line)
    if status == interrupts.STATUS:
        interrupts.leave()
    interrupts.finish()
    _ENDED.append(status)
    return status


_ENDED: list[int] = []  # the status of the command, once it is known


def _end() -> None:
    """End the process once everything of Python has ended: a thread of a compiled library that still runs while the
    library is unloaded would abort the process (status 134) after its work is complete."""
    if not _ENDED:
        return
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):  # closed: the interpreter tells
        return
    os._exit(_ENDED[0])


def _use_utf8() -> None:
    """Start again in Python's UTF-8 mode where names of files are read in another encoding (LC_ALL=C PYTHONUTF8=0):
    every text file of a study is UTF-8, and so are its names. Output keeps the encoding of the terminal."""
    if sys.getfilesystemencoding() == "utf-8" or sys.flags.utf8_mode:
        return
    sys.stdout.flush()
    environment = {**os.environ, "PYTHONUTF8": "1", "PYTHONIOENCODING": f"{sys.stdout.encoding}:backslashreplace"}
    os.execve(sys.executable, [sys.executable, "-m", "fairviz", *sys.argv[1:]], environment)


def _spare_memory() -> None:
    """Let libraries start one thread each where memory is limited, and end where the limit is too low for any verb.

    A thread, or an allocation within compiled code, that gets no memory ends or hangs the process, which no code of
    ours can catch.
    """
    try:
        import resource
    except ImportError:  # Windows
        return
    for name, needed in NEEDED.items():
        limit = resource.getrlimit(getattr(resource, name))[0]
        if limit == resource.RLIM_INFINITY or limit >= SPARED:
            continue
        if limit < needed * 1024**2 and len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
            _leave(f"the limit of memory is {limit // 1024**2:,} MB; fairviz needs {needed} MB or more\n"
                   "Raise it (`ulimit -v`, `ulimit -d`, or the job's own limit).\n", FAILED)  # fmt: skip
        for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "ARROW_IO_THREADS"):
            os.environ.setdefault(variable, "1")


def _run() -> int:
    _spare_memory()
    with interrupts.checked():  # an import that is interrupted in its middle ends in other errors
        from fairviz.cli.main import main

    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    return main()


if __name__ == "__main__":
    sys.exit(run())
