"""HiGHS for browsers is downloaded once, verified always, and refused in one clear line."""

import hashlib
import io
import tarfile
from pathlib import Path

import pytest

from slotwise import InputError
from slotwise.teaching.lessons import highs_for_browsers as module
from slotwise.teaching.lessons.highs_for_browsers import highs_for_browsers

CONTENT = {"highs.js": b"glue", "highs.wasm": b"\0asm"}


def archive(glue: bytes = b"glue") -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as files:
        for name, content in (
            ("LICENSE", b"MIT"),
            ("build/highs.js", glue),
            ("build/highs.wasm", b"\0asm"),
            ("../../outside", b"never unpacked"),
        ):
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(content)
            files.addfile(entry, io.BytesIO(content))
    return stream.getvalue()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, and a registry with a small archive that is the one that is meant."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in CONTENT.items()}
    monkeypatch.setattr(module, "SHA256", hashes)
    content = archive()
    (tmp_path / "highs.tgz").write_bytes(content)
    monkeypatch.setattr(module, "URL", (tmp_path / "highs.tgz").as_uri())
    monkeypatch.setattr(module, "ARCHIVE_SHA256", hashlib.sha256(content).hexdigest())
    return tmp_path / "cache" / "slotwise"


def test_it_is_downloaded_once(cache: Path, tmp_path: Path) -> None:
    found = highs_for_browsers()
    assert (found.glue, found.wasm, found.licence) == (b"glue", b"\0asm", "MIT")
    kept = cache / "highs-1.15.3"
    assert list(cache.iterdir()) == [kept]
    # What has been damaged since is downloaded again.
    (kept / "highs.wasm").write_bytes(b"other")
    assert highs_for_browsers().wasm == b"\0asm"
    (tmp_path / "highs.tgz").unlink()
    assert highs_for_browsers().wasm == b"\0asm"
    assert list(cache.iterdir()) == [kept]
    assert {path.name for path in kept.iterdir()} == {"highs.js", "highs.wasm", "LICENSE"}


def test_what_is_not_meant_is_not_kept(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "highs.tgz").write_bytes(archive(b"something else"))
    with pytest.raises(InputError, match=r"highs\.tgz: SHA-256 is .*, not .*--highs FOLDER"):
        highs_for_browsers()
    assert not cache.exists()


def test_without_network(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "highs.tgz").unlink()
    with pytest.raises(InputError, match=r"highs\.tgz: cannot be downloaded: .*--highs FOLDER"):
        highs_for_browsers()
    assert not cache.exists()


def test_a_folder_serves_as_well(cache: Path, tmp_path: Path) -> None:
    inside = tmp_path / "node_modules" / "highs"
    for place in (tmp_path / "plain", inside / "build"):
        place.mkdir(parents=True)
        for name, content in CONTENT.items():
            (place / name).write_bytes(content)
    (tmp_path / "plain" / "LICENSE").write_text("MIT")
    with pytest.raises(InputError, match=r"LICENSE: No such file"):
        highs_for_browsers(inside)
    (inside / "LICENSE").write_text("MIT")
    for folder in (tmp_path / "plain", tmp_path, inside):
        assert highs_for_browsers(folder).glue == b"glue"
    (tmp_path / "plain" / "highs.wasm").write_bytes(b"\0asm2")
    with pytest.raises(InputError, match=r"highs\.wasm: is not that of highs 1\.15\.3"):
        highs_for_browsers(tmp_path / "plain")
    with pytest.raises(InputError, match=r"cache: no such folder"):
        highs_for_browsers(tmp_path / "cache")
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match=r"empty: has no highs\.wasm"):
        highs_for_browsers(empty)
    assert not cache.exists()
