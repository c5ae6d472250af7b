"""The project's own files: what git tracks, not what a user leaves beside it."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
NOT_THE_PACKAGE = {"benchmarks", "docs", "examples", "setup", "tests"}
"""What holds no module of the package."""


def project_files(root: Path = ROOT) -> list[Path]:
    """The project's own files: what git tracks; in an sdist, what that lists."""
    ask = ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z"]
    try:
        told = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        listed = root / "slotwise.egg-info/SOURCES.txt"
        told = listed.read_text(encoding="utf-8").splitlines()
    return sorted(path for name in told if (path := root / name).is_file())


def files_below(root: Path, pattern: str) -> list[Path]:
    """The project's own files that a pattern fits, such as `docs/**/*.md`."""
    return sorted(set(root.glob(pattern)).intersection(project_files(root)))


def module_files(root: Path = ROOT) -> dict[str, Path]:
    """Files of all modules by dotted name below the package, whose own name is empty."""
    found = {}
    for path in project_files(root):
        parts = path.relative_to(root).with_suffix("").parts
        if path.suffix == ".py" and parts[0] not in NOT_THE_PACKAGE:
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found
