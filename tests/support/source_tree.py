"""The project's own files: what git tracks, not what a user leaves beside it."""

import subprocess
from pathlib import Path

NOT_THE_PACKAGE = {"benchmarks", "build", "dist", "docs", "examples", "setup", "tests"}
"""What holds no module of the package; so do folders with a dot."""


def project_files(root: Path) -> list[Path]:
    """The project's own files: what git tracks, else what the sdist lists, else all there are.

    So nothing that a user leaves in a clone counts, whatever it is called.
    """
    ask = ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z"]
    listed = root / "slotwise.egg-info" / "SOURCES.txt"
    try:
        names = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        names = []
    if not any(names):
        names = (
            listed.read_text(encoding="utf-8").splitlines()
            if listed.is_file()
            else [path.relative_to(root).as_posix() for path in root.rglob("*")]
        )
    return sorted(path for name in filter(None, names) if (path := root / name).is_file())


def files_below(root: Path, pattern: str) -> list[Path]:
    """The project's own files that a pattern fits, such as `docs/**/*.md`."""
    return sorted(set(root.glob(pattern)).intersection(project_files(root)))


def module_files(root: Path) -> dict[str, Path]:
    """Files of all modules by dotted name below the package, whose own name is empty."""
    found = {}
    for path in project_files(root):
        parts = path.relative_to(root).with_suffix("").parts
        hidden = any(part.startswith(".") for part in parts)
        if path.suffix != ".py" or parts[0] in NOT_THE_PACKAGE or hidden:
            continue
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found
