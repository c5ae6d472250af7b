"""HiGHS for browsers is installed once, verified always, and refused in one clear line."""

import hashlib
import json
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from slotwise import InputError
from slotwise.teaching.lessons import highs_for_browsers as module
from slotwise.teaching.lessons.highs_for_browsers import highs_for_browsers

CONTENT = {"highs.js": b"glue", "highs.wasm": b"\0asm"}

NPM = """
import pathlib, sys
if "FAILS":
    print("npm error code ENOTFOUND", file=sys.stderr)
    print("npm error network request to a registry failed", file=sys.stderr)
    sys.exit(1)
assert sys.argv[1] == "ci" and "--ignore-scripts" in sys.argv
lock = pathlib.Path("package-lock.json").read_text()
assert "sha512-5rzjBlAkqRxr7FOv+iZjxF8nNfKsEt8u" in lock
made = pathlib.Path("node_modules/highs/build")
made.mkdir(parents=True)
(made / "highs.js").write_bytes(GLUE)
(made / "highs.wasm").write_bytes(b"\\0asm")
(made.parent / "LICENSE").write_text("MIT")
with open(CALLS, "a") as calls:
    calls.write("x")
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own; the two small files are the ones that are meant."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in CONTENT.items()}
    monkeypatch.setattr(module, "SHA256", hashes)
    return tmp_path / "cache" / "slotwise"


def npm(
    monkeypatch: pytest.MonkeyPatch, folder: Path, *, glue: bytes = b"glue", fails: bool = False
) -> Path:
    """Put a program in npm's place; the file counts its calls."""
    calls = folder / "calls"
    text = NPM.replace("GLUE", repr(glue)).replace("CALLS", repr(str(calls)))
    (folder / "npm.py").write_text(text.replace('"FAILS"', str(fails)))
    monkeypatch.setattr(module, "_npm", lambda: [sys.executable, str(folder / "npm.py")])
    return calls


def test_it_is_installed_once(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = npm(monkeypatch, tmp_path)
    for _ in range(2):
        found = highs_for_browsers()
        assert (found.glue, found.wasm, found.licence) == (b"glue", b"\0asm", "MIT")
    assert calls.read_text() == "x"
    assert [path.name for path in cache.iterdir()] == ["highs-1.15.3"]
    # What has been damaged since is installed again.
    (cache / "highs-1.15.3/build/highs.wasm").write_bytes(b"other")
    assert highs_for_browsers().wasm == b"\0asm"
    assert calls.read_text() == "xx"


def test_what_is_not_meant_is_not_kept(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm(monkeypatch, tmp_path, glue=b"something else")
    with pytest.raises(InputError, match=r"highs\.js: is not that of highs 1\.15\.3: SHA-256"):
        highs_for_browsers()
    assert list(cache.iterdir()) == []


def test_without_network(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    npm(monkeypatch, tmp_path, fails=True)
    with pytest.raises(InputError, match=r"npm could not install HiGHS: .*ENOTFOUND.*--highs FOL"):
        highs_for_browsers()
    assert list(cache.iterdir()) == []


def test_without_npm(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    monkeypatch.setattr(module.shutil, "which", lambda name: None)
    message = r"lesson pages need HiGHS for browsers: pip install 'slotwise\[teaching\]'"
    with pytest.raises(InputError, match=message):
        highs_for_browsers()


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


def test_one_version_is_pinned() -> None:
    folder = files("slotwise").joinpath("teaching/lessons/page")
    wanted = json.loads(folder.joinpath("package.json").read_text())["dependencies"]
    locked = json.loads(folder.joinpath("package-lock.json").read_text())["packages"]
    assert wanted == {"highs": module.VERSION}
    assert locked["node_modules/highs"]["version"] == module.VERSION
    assert locked["node_modules/highs"]["integrity"] == (
        "sha512-5rzjBlAkqRxr7FOv+iZjxF8nNfKsEt8uOaP3S6gls6yRf4+Jv4BqBIE3iPFsgfOHutQBMNxRE9jWhxRAM7O"
        "ycw=="
    )
