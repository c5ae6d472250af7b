"""Job tables of [SWIM] (Facebook 2009 and 2010) as MapReduce instances.

A table gives bytes per job and nothing else. Tasks follow the conventions of SWIM's own replay
(GenerateReplayScript), durations an explicit model. docs/how-to/importing.md gives every choice
made here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Annotated

import numpy as np

from ....core.advice import kind_hint
from ....core.arrays import FloatArray, IntArray, offsets
from ....core.calls import taking
from ....core.errors import InputError
from ....core.files.inputs import file_name, read_text
from ....core.parameters import described, parameter
from ....core.wording import plural
from ...importer_options import BYTES_PER_MB, INSTANCE_NAME, RATES, ImportNotes, stem
from ...importers import Imported
from ...limits import MOST, MOST_ENTRIES, MOST_TASKS, bounds_of
from ..cluster import Cluster, Rates
from ..instance import Instance

DEFAULT_BLOCK_MB = 128 * 2**20 / BYTES_PER_MB
DEFAULT_MB_PER_REDUCE = 64 * 2**20 / BYTES_PER_MB
MOST_REPLICAS = 512
"""What HDFS allows unless it is told otherwise."""
_NUMBER = re.compile(r"[0-9]{1,18}(\.[0-9]*)?")


@dataclass(frozen=True)
class _Row:
    """One line of the table: submit time in s, sizes in bytes."""

    job: str
    submit: float
    input: float
    shuffle: float
    output: float


@dataclass(frozen=True)
class SwimOptions:
    """The cluster of a SWIM table, the jobs taken, and the model of their tasks."""

    _: KW_ONLY
    nodes: int = field(metadata=described("Nodes of the cluster to model."))
    racks: int = parameter(1, "Racks of the cluster to model.")
    map_slots: int = parameter(2, "Map slots per node.")
    reduce_slots: int = parameter(2, "Reduce slots per node.")
    rates: Rates | None = field(default=None, metadata=RATES)
    trace_machines: int | None = parameter(
        None, "Machines of the traced cluster; scales bytes (FB-2009 600, 2010 3000)."
    )
    jobs: tuple[int, int] | None = parameter(
        None, "First and last job by place in the table, from 1.", metavar="FIRST LAST"
    )
    window: tuple[float, float] | None = parameter(
        None, "Jobs submitted in this time, s.", metavar="FROM TO"
    )
    block_mb: float = parameter(DEFAULT_BLOCK_MB, "Input of a map task; default: 128 MiB.")
    mb_per_reduce: float = parameter(
        DEFAULT_MB_PER_REDUCE, "Shuffle and output of a reduce task; default: 64 MiB."
    )
    startup: float = parameter(3.0, "Seconds before a task computes.")
    map_rate: float = parameter(10.0, "MB/s a map task computes.")
    reduce_rate: float = parameter(10.0, "MB/s a reduce task computes.")
    replicas: int = parameter(3, "Replicas of each block.")
    seed: int = parameter(0, "Seed of the replicas' places.")
    name: str | None = field(default=None, metadata=INSTANCE_NAME)

    def __post_init__(self) -> None:
        machines = 1 if self.trace_machines is None else self.trace_machines
        for option, value in (
            ("block_mb", self.block_mb),
            ("mb_per_reduce", self.mb_per_reduce),
            ("map_rate", self.map_rate),
            ("reduce_rate", self.reduce_rate),
            ("trace_machines", machines),
        ):
            if not 0 < value <= MOST:
                raise InputError(f"{option}: must be finite and > 0{bounds_of(value)}, got {value}")
        if not 0 <= self.startup <= MOST:
            raise InputError(f"startup: must be finite and >= 0, got {self.startup}")
        if self.seed < 0:
            raise InputError(f"seed: must be >= 0, got {self.seed}")

    @property
    def scale(self) -> float:
        """What the table's bytes are multiplied by."""
        return 1.0 if self.trace_machines is None else self.nodes / self.trace_machines

    def cluster(self) -> Cluster:
        """The cluster to model. Raises `InputError`, also for more replicas than it holds."""
        cluster = Cluster.uniform(
            self.nodes,
            racks=self.racks,
            map_slots=self.map_slots,
            reduce_slots=self.reduce_slots,
            rates=self.rates,
        )
        if not 1 <= self.replicas <= self.nodes:
            raise InputError(
                f"replicas: must be between 1 and {self.nodes} (the nodes), got {self.replicas}"
            )
        if self.replicas > MOST_REPLICAS:
            raise InputError(f"replicas: must be at most {MOST_REPLICAS}, got {self.replicas}")
        return cluster


@taking(SwimOptions)
def read_swim(
    table: Annotated[str | Path, described("SWIM job table, plain or gzip.", metavar="TABLE")],
    options: SwimOptions,
) -> Imported[Instance]:
    """The instance of a SWIM table.

    All bytes are scaled by nodes / trace_machines. A job with more reduce tasks than nodes gets
    nodes // 5, as in SWIM. A task computes for `startup` s and its MB by the rate. The replicas of
    each block are on distinct nodes, drawn with `seed`.

    Returns
    -------
    Imported
        `made`: the jobs selected, all at time 0; `notes` on what was left out or adjusted.

    Raises
    ------
    InputError
        Names file and line.
    """
    cluster = options.cluster()
    notes = ImportNotes()
    rows = _selected(table, _read(table), options.jobs, options.window)
    rows.sort(key=lambda row: row.submit)
    input_bytes = np.array([row.input for row in rows]) * options.scale
    shuffle = np.array([row.shuffle for row in rows]) * options.scale
    output = np.array([row.output for row in rows]) * options.scale

    block = options.block_mb * BYTES_PER_MB
    map_counts = np.maximum(np.ceil(input_bytes / block), 1)
    share = options.mb_per_reduce * BYTES_PER_MB
    reduce_counts = _reduce_counts(shuffle, output, share, options.nodes, notes)
    _check_few(table, map_counts, reduce_counts, options.replicas)
    map_offsets = offsets(map_counts.astype(np.int64))
    reduce_offsets = offsets(reduce_counts.astype(np.int64))
    input_mb = _blocks(input_bytes, block, map_offsets) / BYTES_PER_MB
    reduce_bytes = (shuffle + output) / np.maximum(reduce_counts, 1)
    reduce_mb = np.repeat(reduce_bytes / BYTES_PER_MB, np.diff(reduce_offsets))
    _note_jobs(rows, options.scale, notes)
    copies = np.where(input_mb > 0, options.replicas, 0)
    blocks = int((copies > 0).sum())
    instance = Instance(
        name=options.name or stem(table, ".tsv", otherwise="swim"),
        source=_source(table, options),
        cluster=cluster,
        job_names=tuple(row.job for row in rows),
        output_ratio=np.divide(
            shuffle, input_bytes, out=np.zeros(len(rows)), where=input_bytes > 0
        ),
        map_offsets=map_offsets,
        map_processing=options.startup + input_mb / options.map_rate,
        input_mb=input_mb,
        replica_offsets=offsets(copies),
        replicas=_distinct_nodes(blocks, options.replicas, options.nodes, options.seed).ravel(),
        reduce_offsets=reduce_offsets,
        reduce_processing=options.startup + reduce_mb / options.reduce_rate,
    )
    return Imported(instance, tuple(notes.lines))


def _source(table: str | Path, options: SwimOptions) -> str:
    o = options
    return (
        f"SWIM table {file_name(table)}, trace_machines {o.trace_machines}, jobs {o.jobs}, "
        f"window {o.window}, block_mb {o.block_mb:.6f}, mb_per_reduce {o.mb_per_reduce:.6f}, "
        f"startup {o.startup}, map_rate {o.map_rate}, reduce_rate {o.reduce_rate}, "
        f"replicas {o.replicas}, seed {o.seed}"
    )


def _check_few(
    table: str | Path, map_counts: FloatArray, reduce_counts: FloatArray, replicas: int
) -> None:
    """Raise `InputError` for more tasks or replicas than an instance holds."""
    tasks = float(map_counts.sum() + reduce_counts.sum())
    if tasks > MOST_TASKS:
        raise InputError(
            f"{table}: {tasks:.0f} tasks, more than {MOST_TASKS}: take fewer jobs (jobs, window), "
            "scale down (trace_machines) or use larger blocks (block_mb, mb_per_reduce)"
        )
    if map_counts.sum() * replicas > MOST_ENTRIES:
        raise InputError(
            f"replicas: need at most {MOST_ENTRIES} of all map tasks, got {replicas} of each"
        )


def _read(path: str | Path) -> list[_Row]:
    rows: list[_Row] = []
    line_of: dict[str, int] = {}
    text = read_text(path)
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        columns = [column.strip() for column in line.split("\t")]
        # Columns 7 and 8 are paths of input and output; some tables end in empty columns.
        if len(columns) < 6 or any(columns[8:]):
            what = kind_hint(text, "swim")
            raise InputError(
                f"{where}: need 6 columns separated by tabs (job, submit time, gap, input, shuffle "
                f"and output bytes) or 8 (paths of input and output), got {len(columns)}{what}"
            )
        job = columns[0]
        if not job:
            raise InputError(f"{where}, column 1 (job): is empty")
        if line_of.setdefault(job, number) != number:
            raise InputError(f"{where}, job {job!r}: is also on line {line_of[job]}")
        submit, _, *sizes = (
            _number(columns[k], f"{where}, job {job!r}, column {k + 1} ({what})")
            for k, what in enumerate(
                ("submit time", "gap", "input bytes", "shuffle bytes", "output bytes"), start=1
            )
        )
        rows.append(_Row(job, submit, *sizes))
    if not rows:
        raise InputError(f"{path}: no job in the file")
    return rows


def _number(text: str, where: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise InputError(f"{where}: need a number >= 0 (at most 18 digits), got {text[:40]!r}")
    return float(text)


def _selected(
    path: str | Path,
    rows: list[_Row],
    jobs: tuple[int, int] | None,
    window: tuple[float, float] | None,
) -> list[_Row]:
    total = len(rows)
    if jobs is not None:
        first, last = jobs
        if not 1 <= first <= last:
            raise InputError(f"jobs: need 1 <= first <= last, got {first}, {last}")
        rows = rows[first - 1 : last]
    if window is not None:
        begin, end = window
        if not begin < end:
            raise InputError(f"window: need begin < end, got {begin}, {end}")
        rows = [row for row in rows if begin <= row.submit < end]
    if not rows:
        raise InputError(f"{path}: none of its {plural(total, 'job')} is selected")
    return rows


def _reduce_counts(
    shuffle: FloatArray, output: FloatArray, share: float, nodes: int, notes: ImportNotes
) -> FloatArray:
    """Reduce tasks of each job; none where nothing is shuffled."""
    counts = np.where(shuffle > 0, np.maximum(np.floor((shuffle + output) / share + 0.5), 1), 0)
    if (many := counts > nodes).any():
        counts[many] = max(nodes // 5, 1)
        notes.add(
            f"{plural(int(many.sum()), 'job')} with more reduce tasks than nodes: each given "
            f"nodes // 5 = {max(nodes // 5, 1)} as in SWIM"
        )
    return counts


def _blocks(input_bytes: FloatArray, block: float, first: IntArray) -> FloatArray:
    """Input bytes of each map task: whole blocks, then the rest."""
    job = np.repeat(np.arange(len(input_bytes)), np.diff(first))
    before = (np.arange(len(job)) - first[job]) * block
    sizes: FloatArray = np.clip(input_bytes[job] - before, 0, block)
    return sizes


def _distinct_nodes(blocks: int, copies: int, nodes: int, seed: int) -> IntArray:
    """`copies` distinct nodes for each block, every set equally likely (Floyd's sampling)."""
    rng = np.random.default_rng(seed)
    chosen = np.empty((blocks, copies), dtype=np.int64)
    for k, last in enumerate(range(nodes - copies, nodes)):
        drawn = rng.integers(0, last + 1, size=blocks)
        taken = (chosen[:, :k] == drawn[:, None]).any(axis=1)
        chosen[:, k] = np.where(taken, last, drawn)
    return chosen


def _note_jobs(rows: Sequence[_Row], scale: float, notes: ImportNotes) -> None:
    span = rows[-1].submit - rows[0].submit
    if span > 0:
        notes.add(f"the jobs arrived over {span:.0f} s; the instance has all at 0")

    map_only = sum(not row.shuffle for row in rows)
    if map_only:
        notes.add(f"{plural(map_only, 'job')} without shuffle: no reduce task")
    unfed = sum(not row.input for row in rows)
    if unfed:
        notes.add(f"{plural(unfed, 'job')} without input: one map task that reads nothing")
    lost = [row.shuffle * scale / BYTES_PER_MB for row in rows if row.shuffle and not row.input]
    if lost:
        notes.add(
            f"{plural(len(lost), 'job')} with shuffle but no input: the shuffle is lost "
            f"({sum(lost):.6g} MB in all)"
        )
