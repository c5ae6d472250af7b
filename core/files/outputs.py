"""What is written: whole or not at all.

`-` is stdout. A symbolic link is followed. A regular file is replaced by one of the same mode;
anything else (a pipe, a device) is written to. Temporary files go even if the process ends.
"""

from __future__ import annotations

import errno
import gzip
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import InputError, OutputError
from ..wording import listed
from .examples import is_example
from .inputs import STANDARD


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write a file whole or not at all, compressed if its name ends in `.gz`.

    Raises `OutputError` if it cannot be written.
    """
    if str(path).endswith(".gz"):
        content = gzip.compress(content, compresslevel=6, mtime=0)
    try:
        check_writable(path)
        if takes_stdout(path):
            if sys.stdout is None:
                raise OSError(errno.EBADF, "stdout is closed")
            sys.stdout.flush()
            sys.stdout.buffer.write(content)
            sys.stdout.flush()
        elif is_replaced(path):
            _replace(Path(os.path.realpath(path)), content)
        else:
            Path(path).write_bytes(content)
    except InputError as error:
        raise OutputError(path, str(error)) from None
    except OSError as error:
        raise OutputError(path, f"{path}: {error.strerror or error}", error.errno) from None


def _replace(target: Path, content: bytes) -> None:
    """Put a new file with the mode of the old one, if there is one, in its place."""
    old = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    mode = 0o666 if old is None else old & 0o666
    temporary = target.parent / f".slotwise-{os.urandom(8).hex()}"
    with removed_afterwards(temporary):
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as stream:
            if old is not None:
                os.fchmod(stream.fileno(), old)
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, target)


def check_writable(path: str | Path) -> None:
    """Raise `InputError` now if `path` could not be written later."""
    if str(path) == STANDARD:
        return
    mode = _mode(path)
    if mode is None or stat.S_ISREG(mode):
        _check_place(path, Path(os.path.realpath(path)).parent)
    if mode is not None and stat.S_ISDIR(mode):
        raise InputError(f"{path}: is a folder")
    # The bits are asked, too: root may write to anything, but read-only is what its owner meant.
    if mode is not None and not (mode & 0o222 and os.access(path, os.W_OK)):
        raise InputError(
            f"{path}: is read-only (mode {stat.S_IMODE(mode):o}): remove it, make it writable or "
            "choose another name"
        )


def check_folder(path: str | Path) -> None:
    """Raise `InputError` now if no files could be written into `path` later.

    A folder that is not there yet will be made, its parent must be there.
    """
    if str(path) == STANDARD:
        raise InputError("-: a folder is written, which is nothing for stdout")
    mode = _mode(path)
    if mode is not None and not stat.S_ISDIR(mode):
        raise InputError(f"{path}: is no folder: choose another name")
    folder = Path(os.path.realpath(path))
    _check_place(path, folder.parent if mode is None else folder)


def _mode(path: str | Path) -> int | None:
    """What an output is already; None if it is not there. Raises `InputError`."""
    if is_example(path):
        raise InputError(f"{path}: examples are only read: choose another name")
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def _check_place(path: str | Path, folder: Path) -> None:
    if not folder.is_dir():
        raise InputError(f"{path}: folder {str(folder)!r} does not exist")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"{path}: folder {str(folder)!r} is not writable")


def is_replaced(path: str | Path) -> bool:
    """Whether writing to `path` again replaces what was written before."""
    return not takes_stdout(path) and (os.path.isfile(path) or not os.path.exists(path))


def takes_stdout(path: str | Path) -> bool:
    """Whether what is written to `path` arrives on stdout: `-`, or what leads there by a link."""
    if str(path) == STANDARD:
        return True
    with suppress(OSError, ValueError, AttributeError):  # stdout need not be a file, nor be there
        return os.path.samestat(os.stat(path), os.fstat(sys.stdout.fileno()))
    return False


def check_ending(path: str | Path, endings: Sequence[str], what: str) -> str:
    """The ending of a path; stdout takes `.svg` or the last. Raises `InputError` for others."""
    if str(path) == STANDARD:
        return ".svg" if ".svg" in endings else endings[-1]
    ending = Path(path).suffix.lower()
    if ending not in endings:
        one_of = listed(endings, None, "or")
        raise InputError(f"{path}: {what} needs a name ending in {one_of}")
    return ending


_temporary: set[Path] = set()


@contextmanager
def removed_afterwards(path: Path) -> Iterator[None]:
    """Remove a file or folder, if it exists, at the end of the context or of the process."""
    _temporary.add(path)
    try:
        yield
    finally:
        _remove(path)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="slotwise-"))
    with removed_afterwards(folder):
        yield folder


def remove_temporary() -> None:
    """Remove all that is temporary, for a process that ends now."""
    for path in list(_temporary):
        _remove(path)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
    shutil.rmtree(path, ignore_errors=True)
    _temporary.discard(path)
