"""The pinned set of 60 instances with 10 to 80 tasks.

    python benchmarks/middle.py FOLDER

writes their files into a folder; `certified.py` solves them. Each is drawn by `small` in
`slotwise.instances.mapreduce.generators.ljr` with the parameters and seeds of `CLASSES`, and pinned
by the SHA-256 of its file in `middle_instances/SHA256SUMS`; a drawn instance that differs ends the
program.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from itertools import count
from pathlib import Path

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


def pinned(classes: Iterable[str]) -> list[Instance]:
    """The instances of these classes. Ends the program if one of them is not what was published."""
    lines = SUMS.read_text().splitlines()
    digests = {file: digest for digest, file in (line.split() for line in lines)}
    instances = [instance for name in classes for instance in members(name)]
    for instance in instances:
        if sha256(file_of(instance)).hexdigest() != digests[f"{instance.name}.json"]:
            sys.exit(f"{instance.name}: its file differs from the one in {SUMS.name}")
    return instances


def write(folder: Path) -> None:
    """The instance files of the whole set."""
    folder.mkdir(parents=True, exist_ok=True)
    for instance in pinned(CLASSES):
        (folder / f"{instance.name}.json").write_bytes(file_of(instance))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    write(parser.parse_args().folder)


if __name__ == "__main__":
    main()
