"""Exceptions: each is a steno.Error and the exception of Python that says the same."""


class Error(Exception):
    """A log cannot be read as it was asked for. The text says what, where and what to do."""


class InvalidError(Error, ValueError):
    """A statement, column, condition or time that the log does not have, or that is malformed."""


class NotFoundError(Error, FileNotFoundError):
    """No such file, or an empty one."""


class PermissionDeniedError(Error, PermissionError):
    """The file may not be read."""


class ReadError(Error, OSError):
    """The system could not read the file."""


class CorruptError(Error, ValueError):
    """Not a steno log. (Damage within a log is no error: see Log.losses.)"""


class UnsupportedError(Error, NotImplementedError):
    """Written by a newer version of steno."""


class LimitError(Error, MemoryError):
    """Reading would take more memory than there is, or than a limit allows."""


class FailedError(Error, RuntimeError):
    """Not possible in this state."""


# The exceptions, by steno_code of <steno/c_error.h>.
_CLASSES = {1: InvalidError, 2: NotFoundError, 3: PermissionDeniedError, 4: ReadError, 5: CorruptError,
            6: UnsupportedError, 7: LimitError, 8: FailedError}


def make(code: int, text: str) -> Error:
    """The exception for a code of the reader."""
    return _CLASSES.get(code, Error)(text)
