"""The commands `fairviz` and `python -m fairviz`."""

import sys

HOOK, STOPPED, FAILED = sys.excepthook, 130, 1
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
    import os

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
    return status


def _run() -> int:
    with interrupts.checked():  # an import that is interrupted in its middle ends in other errors
        from fairviz.cli.main import main

    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    return main()


if __name__ == "__main__":
    sys.exit(run())
