"""What several importers have: parameters, units, and notes on what they adjust."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ..core.files.inputs import STANDARD, file_name
from ..core.parameters import Description, described

BYTES_PER_MB = 1e6

RATES = described(
    "MB/s on a node, within a rack and between racks.",
    parts=(
        ("node", Description("MB/s on a node.", option="node-rate")),
        ("rack", Description("MB/s within a rack.", option="rack-rate")),
        ("remote", Description("MB/s between racks.", option="remote-rate")),
    ),
)
INSTANCE_NAME = described("Name of the instance.")
DATACENTER_NAME = described("Name of the datacenter.")
CLASSES = described("Job classes; default: as many as the jobs need.", least=1)
WINDOW = described("Only jobs that arrive in this time, s.", metavar="FROM TO")
CLUSTERING_SEED = described("Seed of the clustering.", least=0)


def stem(path: str | Path, *endings: str, otherwise: str) -> str:
    """The name of a file without folder, `.gz` and these endings; `otherwise` for stdin."""
    name = file_name(path)
    for ending in (".gz", *endings):
        name = name.removesuffix(ending)
    return name.removeprefix(STANDARD) or otherwise


@dataclass
class ImportNotes:
    """Remarks of an importer, one sentence each."""

    lines: list[str] = field(default_factory=list)
    """All remarks."""
    not_comparable: list[str] = field(default_factory=list)
    """Those that make the trace's own run differ from the model."""

    def add(self, line: str, *, comparable: bool = True) -> None:
        """Add a remark.

        `comparable`: false if it makes the trace's own run differ from the model.
        """
        self.lines.append(line)
        if not comparable:
            self.not_comparable.append(line)
