"""The fixed set of 60 middle instances, 10 to 80 tasks: `slotwise solve` beside CP-SAT alone.

    python benchmarks/middle.py [--classes 10-19 …] [--limit 60] [--threads 2] [--methods …]
                                [--results FILE.jsonl] [--write FOLDER]

The set is `CLASSES`: parameters and seeds of `small` in
`slotwise.instances.mapreduce.generators.ljr`, pinned by the SHA-256 of each instance file in
`middle_instances/SHA256SUMS`; a drawn instance that differs ends the program. `--write` puts the
files into a folder and does nothing else. Prints a Markdown table. With `--results` every run is
appended to a file of JSON lines and not repeated next time; Ctrl-C prints the table of what is
there. Ends with status 1 if one method's bound is above another's schedule."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from importlib.metadata import version
from itertools import count
from pathlib import Path

from runs import RIVALS, SETTLED, end, side_by_side, table

from slotwise.core.files.json_files import dump_json
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.instances.mapreduce.instance import Instance
from slotwise.instances.mapreduce.instance_file import instance_document

SUMS = Path(__file__).parent / "middle_instances" / "SHA256SUMS"


@dataclass(frozen=True)
class Draw:
    """A size and the seeds: arguments of `small`, with 2 racks and 2 replicas throughout.

    The seeds are the first ones that give a number of tasks within the class.
    """

    jobs: int
    nodes: int
    map_slots: int
    reduce_slots: int
    max_maps: int
    max_reduces: int
    seeds: tuple[int, ...]

    def instances(self) -> Iterator[Instance]:
        size = {name: value for name, value in asdict(self).items() if name != "seeds"}
        for seed in self.seeds:
            yield small(seed=seed, **size)


CLASSES = {
    "10-19": (Draw(3, 3, 2, 1, 4, 3, (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)),),
    "20-27": (Draw(5, 3, 2, 1, 4, 3, (0, 1, 2, 5, 6, 7, 8, 9, 10, 11)),),
    "28-38": (
        Draw(6, 3, 2, 1, 5, 3, (0, 1, 2, 4, 5)),
        Draw(6, 3, 1, 1, 4, 3, (1, 2, 4, 6, 7)),
    ),
    "36-45": (Draw(8, 4, 1, 1, 4, 3, (0, 1, 2, 4, 6, 7, 8, 10, 13, 15)),),
    "46-60": (Draw(8, 3, 2, 2, 6, 3, (4, 6, 7, 9, 10, 13, 15, 18, 26, 28)),),
    "61-80": (Draw(10, 4, 2, 2, 8, 4, (0, 1, 2, 5, 6, 7, 8, 10, 11, 12)),),
}
"""By number of tasks."""


def members(name: str) -> Iterator[Instance]:
    """The ten instances of a class, under names of their own."""
    number = count()
    for draw in CLASSES[name]:
        for instance in draw.instances():
            yield replace(instance, name=f"middle-{name}-{next(number)}")


def file_of(instance: Instance) -> bytes:
    return dump_json(instance_document(instance)).encode()


def pinned(classes: Iterable[str]) -> list[tuple[str, Instance]]:
    """The published instances of these classes, each with the name of its set.

    Ends the program if one of them is not what was published.
    """
    lines = SUMS.read_text().splitlines()
    digests = {file: digest for digest, file in (line.split() for line in lines)}
    instances = [(f"{name} tasks", instance) for name in classes for instance in members(name)]
    for _, instance in instances:
        if sha256(file_of(instance)).hexdigest() != digests[f"{instance.name}.json"]:
            sys.exit(f"{instance.name}: its file differs from the one in {SUMS.name}")
    return instances


def write(folder: Path) -> None:
    """The instance files of the whole set."""
    folder.mkdir(parents=True, exist_ok=True)
    for _, instance in pinned(CLASSES):
        (folder / f"{instance.name}.json").write_bytes(file_of(instance))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--classes", nargs="+", choices=CLASSES, default=list(CLASSES))
    parser.add_argument("--methods", nargs="+", choices=RIVALS, default=list(RIVALS))
    parser.add_argument("--limit", type=float, default=60.0, help="s for each run")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--results", type=Path, help="JSON lines, read and appended to")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="the instance files only")
    options = parser.parse_args()
    if options.write:
        write(options.write)
        return

    instances = [(name, options.limit, instance) for name, instance in pinned(options.classes)]
    methods = {name: RIVALS[name] for name in options.methods}
    runs = side_by_side(instances, methods, options.threads, options.results)
    print(table(runs))
    settled = {run.instance for run in runs if run.note == SETTLED}
    print(
        f"\n{options.limit:g} s and {options.threads} threads each; OR-Tools {version('ortools')}. "
        f"Of {len({run.instance for run in runs})} instances, heuristics and closed-form bounds "
        f"settle {len(settled)} before the first two methods begin."
    )
    end(runs)


if __name__ == "__main__":
    main()
