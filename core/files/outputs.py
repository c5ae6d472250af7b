"""Bytes out: written whole or not at all, and never over an input.

`-` is stdout. A symbolic link is followed. A regular file is replaced by one of the same mode;
anything else (a pipe, a device) is written to.
"""

from __future__ import annotations

import errno
import gzip
import os
import stat
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ..errors import InputError, OutputError
from .examples import is_example
from .inputs import STANDARD
from .temporaries import removed_afterwards


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write a file whole or not at all, compressed if its name ends in `.gz`.

    Raises `OutputError` if it cannot be written.
    """
    if str(path).endswith(".gz"):
        content = gzip.compress(content, compresslevel=6, mtime=0)
    try:
        check_writable(path)
        status = None if str(path) == STANDARD else _status(path)
        if str(path) == STANDARD or _is_stdout(status):
            print_bytes(content)
        elif status is None or stat.S_ISREG(status.st_mode):
            _replace(Path(os.path.realpath(path)), status, content)
        else:
            with open(path, "wb") as stream:
                stream.write(content)
    except InputError as error:
        raise OutputError(path, str(error)) from None
    except OSError as error:
        raise OutputError(path, f"{path}: {error.strerror or error}", error.errno) from None


def print_bytes(content: bytes) -> None:
    """Write to stdout and flush it. Raises `OSError`."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "stdout is closed")
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.flush()


def check_writable(path: str | Path) -> None:
    """Raise `InputError` now if `path` could not be written later."""
    if str(path) == STANDARD:
        if sys.stdout is None:
            raise InputError("-: stdout is closed")
        return
    if is_example(path):
        raise InputError(f"{path}: examples are only read: choose another name")
    try:
        status = _status(path)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if status is None or stat.S_ISREG(status.st_mode):
        folder = Path(os.path.realpath(path)).parent
        if not folder.is_dir():
            raise InputError(f"{path}: folder {str(folder)!r} does not exist")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise InputError(f"{path}: folder {str(folder)!r} is not writable")
    if status is None:
        return
    if stat.S_ISDIR(status.st_mode):
        raise InputError(f"{path}: is a folder")
    # The bits are asked, too: root may write to anything, but read-only is what its owner meant.
    if not status.st_mode & 0o222 or not os.access(path, os.W_OK):
        raise InputError(
            f"{path}: is read-only (mode {stat.S_IMODE(status.st_mode):o}): remove it, make it "
            "writable or choose another name"
        )


def check_folder(path: str | Path) -> None:
    """Raise `InputError` now if no files could be written into `path` later.

    A folder that is not there yet will be made, its parent must be there.
    """
    if str(path) == STANDARD:
        raise InputError("-: a folder is written, which is nothing for stdout")
    if is_example(path):
        raise InputError(f"{path}: examples are only read: choose another name")
    try:
        status = _status(path)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if status is not None and not stat.S_ISDIR(status.st_mode):
        raise InputError(f"{path}: is no folder: choose another name")
    folder = Path(os.path.realpath(path))
    if status is None:
        folder = folder.parent
    if not folder.is_dir():
        raise InputError(f"{path}: folder {str(folder)!r} does not exist")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"{path}: folder {str(folder)!r} is not writable")


def check_distinct(
    outputs: Mapping[str, str | Path], inputs: Mapping[str, Sequence[str | Path]]
) -> None:
    """Check that no output is an input or another output, whatever their paths.

    Only one input can be stdin.

    Raises `InputError` if two are the same file.
    """
    read = [(name, path) for name, paths in inputs.items() for path in paths]
    standard = [name for name, path in read if str(path) == STANDARD]
    if len(standard) > 1:
        raise InputError(f"-: only one input can be stdin, not {' and '.join(standard)}")
    written = list(outputs.items())
    for k, (name, path) in enumerate(written):
        for other, source in read:
            if _same(path, source, 0):
                raise InputError(
                    f"{name} {path} is the input {other} {source}: choose another name"
                )
        for other, target in written[:k]:
            if _same(path, target, 1) or (str(path) == str(target) == STANDARD):
                raise InputError(f"{other} and {name} both write to {path}")


def is_replaced(path: str | Path) -> bool:
    """Whether writing to `path` again replaces what was written before."""
    if str(path) == STANDARD:
        return False
    status = _status(path)
    return status is None or (stat.S_ISREG(status.st_mode) and not _is_stdout(status))


def takes_stdout(path: str | Path) -> bool:
    """Whether what is written to `path` arrives on stdout."""
    if str(path) == STANDARD:
        return True
    with suppress(OSError, ValueError):
        return _is_stdout(_status(path))
    return False


def check_ending(path: str | Path, endings: Sequence[str], what: str) -> str:
    """Check the suffix of a path; stdout takes `.svg` or, if it is none of them, the last.

    Raises `InputError` if it is another one.
    """
    if str(path) == STANDARD:
        return ".svg" if ".svg" in endings else endings[-1]
    ending = Path(path).suffix.lower()
    if ending not in endings:
        one_of = " or ".join(filter(None, (", ".join(endings[:-1]), endings[-1])))
        raise InputError(f"{path}: {what} needs a name ending in {one_of}")
    return ending


def _status(path: str | Path) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _is_stdout(status: os.stat_result | None) -> bool:
    """Whether a path leads to the file, pipe or device that is stdout, as `/dev/stdout` does."""
    if status is None or sys.stdout is None:
        return False
    try:
        return os.path.samestat(status, os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError):  # stdout is not a file of the system's
        return False


def _same(path: str | Path, other: str | Path, standard: int) -> bool:
    """Whether two paths are one file; `standard` is what `-` means for `other`.

    What stands behind `-` counts if it is a regular file; one terminal may be both stdin and
    stdout.
    """
    one, two = _identity(path, 1), _identity(other, standard)
    if one is None or two is None:
        return STANDARD not in (str(path), str(other)) and (
            os.path.realpath(path) == os.path.realpath(other)
        )
    return os.path.samestat(one, two) and (
        stat.S_ISREG(one.st_mode)
        or (STANDARD not in (str(path), str(other)) and not stat.S_ISCHR(one.st_mode))
    )


def _identity(path: str | Path, standard: int) -> os.stat_result | None:
    with suppress(OSError, ValueError):
        return os.fstat(standard) if str(path) == STANDARD else os.stat(path)
    return None


def _replace(target: Path, old: os.stat_result | None, content: bytes) -> None:
    """Put a new file with the mode of the old one in its place."""
    mode = 0o666 if old is None else stat.S_IMODE(old.st_mode)
    temporary = target.parent / f".slotwise-{os.urandom(8).hex()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with removed_afterwards(temporary):
        handle = os.open(temporary, flags, mode & 0o666)
        with os.fdopen(handle, "wb") as stream:
            if old is not None:
                os.fchmod(handle, mode)
            stream.write(content)
            stream.flush()
            os.fsync(handle)
        _sync(target.parent)
        os.replace(temporary, target)
    _sync(target.parent)


def _sync(folder: Path) -> None:
    """Make the names in a folder survive a loss of power, where the file system can."""
    with suppress(PermissionError):  # a folder that may be written to but not read
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):
                raise
        finally:
            os.close(handle)
