"""HiGHS compiled for browsers: the npm package `highs`, downloaded on first use and verified.

It is no part of slotwise. One version is pinned by the SHA-256 of its archive, which is kept in the
user's cache. What is put into a page is verified again, each time.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
import tempfile
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ...core.errors import InputError
from ...core.files.outputs import removed_afterwards
from ...core.kernels.cache import users_cache
from ...core.notices import warning

VERSION = "1.15.3"
URL = f"https://registry.npmjs.org/highs/-/highs-{VERSION}.tgz"
ARCHIVE_SHA256 = "218533577886c69023739024bb92cfc2831ba45ff1fd1fd981753c04cded9793"

SHA256 = {
    "highs.js": "0bd23843c9795753f2276e9901eb2a1e66288547b6bcba84fa0665dc037b5c7c",
    "highs.wasm": "528be4365bea1d4188988646b244263f50320df55782e14d6af5bce7cd45c840",
}
"""Of the two files that a page carries."""

LICENCE = "LICENSE"
HINT = "unpack that archive elsewhere and give its folder: --highs FOLDER"
MOST_SECONDS, MOST_BYTES = 60.0, 10_000_000


@dataclass(frozen=True)
class Highs:
    """JavaScript that loads HiGHS, its machine code, and its licence, which goes where they go."""

    glue: bytes
    wasm: bytes
    licence: str


def highs_for_browsers(folder: str | Path | None = None) -> Highs:
    """Get HiGHS for browsers, from a folder, the cache or, once, the npm registry.

    `folder`: a folder with the npm package `highs`, or with its files; by default the user's cache.
    Raises `InputError` if a file is missing or is not the one that is meant, or the download fails.
    """
    if folder is not None:
        return _read(_package(Path(folder)))
    try:
        kept = users_cache() / "slotwise" / f"highs-{VERSION}"
    except RuntimeError:
        why = "no folder to keep HiGHS in: XDG_CACHE_HOME can name one, or use --highs"
        raise InputError(why) from None
    with suppress(InputError):  # not there yet, or damaged since it was kept
        return _read(kept)
    _download(kept)
    return _read(kept)


def _package(folder: Path) -> Path:
    """Where the package is: in the folder, or in one where npm or an archive puts it."""
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder: need one with the npm package highs {VERSION}")
    for inside in ("", "package", "node_modules/highs", "highs"):
        if _file(folder / inside, "highs.wasm").is_file():
            return folder / inside
    raise InputError(f"{folder}: has no highs.wasm: need the npm package highs {VERSION}")


def _file(folder: Path, name: str) -> Path:
    inside = folder / "build" / name
    return inside if inside.is_file() else folder / name


def _read(folder: Path) -> Highs:
    content = {}
    for path in (*(_file(folder, name) for name in SHA256), folder / LICENCE):
        try:
            content[path.name] = path.read_bytes()
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}") from None
        digest, wanted = hashlib.sha256(content[path.name]).hexdigest(), SHA256.get(path.name)
        if wanted not in (None, digest):
            raise InputError(
                f"{path}: is not that of highs {VERSION}: SHA-256 is {digest[:16]}…, not "
                f"{wanted[:16]}…: {URL} has it"
            )
    licence = content[LICENCE].decode(errors="replace")
    return Highs(content["highs.js"], content["highs.wasm"], licence)


def _download(kept: Path) -> None:
    """Download the archive, verify it and keep the files that are needed."""
    warning(f"HiGHS for browsers is downloaded into {kept}, once (1.3 MB)")
    try:
        with urllib.request.urlopen(URL, timeout=MOST_SECONDS) as answer:
            archive = answer.read(MOST_BYTES)
    except OSError as error:
        reason = getattr(error, "reason", error)
        raise InputError(f"{URL}: cannot be downloaded: {reason}; {HINT}") from None
    digest = hashlib.sha256(archive).hexdigest()
    if digest != ARCHIVE_SHA256:
        raise InputError(f"{URL}: SHA-256 is {digest[:16]}…, not {ARCHIVE_SHA256[:16]}…; {HINT}")
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix="highs-", dir=kept.parent))
        with removed_afterwards(folder), tarfile.open(fileobj=io.BytesIO(archive)) as files:
            for name in (*(f"build/{name}" for name in SHA256), LICENCE):
                member = files.extractfile(f"package/{name}")
                assert member is not None
                place = folder / "package" / Path(name).name
                place.parent.mkdir(exist_ok=True)
                place.write_bytes(member.read())
            if kept.is_dir():  # damaged
                kept.replace(folder / "damaged")
            with suppress(OSError):  # another process was faster
                (folder / "package").replace(kept)
    except OSError as error:
        raise InputError(f"{kept.parent}: {error.strerror or error}; {HINT}") from None
