"""SWIM job tables (Facebook 2009 and 2010) as MapReduce instances.

A table gives bytes per job, nothing else: tasks follow the conventions of SWIM's own replay
(GenerateReplayScript), durations a stated model. docs/importing.md gives every choice made here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..advice import kind_hint
from ..arrays import FloatArray, IntArray, offsets
from ..errors import InputError
from ..files.inputs import STANDARD, file_name, read_text
from ..import_notes import Notes, counted
from ..limits import MOST, MOST_ENTRIES, MOST_TASKS, bounds_of
from ..mapreduce.cluster import Cluster, Rates
from ..mapreduce.instance import Instance

MB = 1e6
BLOCK_MB = 128 * 2**20 / MB
MB_PER_REDUCE = 64 * 2**20 / MB
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


def read_swim(
    path: str | Path,
    *,
    nodes: int,
    racks: int = 1,
    map_slots: int = 2,
    reduce_slots: int = 2,
    rates: Rates | None = None,
    trace_machines: int | None = None,
    jobs: tuple[int, int] | None = None,
    window: tuple[float, float] | None = None,
    block_mb: float = BLOCK_MB,
    mb_per_reduce: float = MB_PER_REDUCE,
    cap_reduces: bool = True,
    startup: float = 3.0,
    map_rate: float = 10.0,
    reduce_rate: float = 10.0,
    replicas: int = 3,
    seed: int = 0,
    name: str | None = None,
) -> tuple[Instance, list[str]]:
    """The instance of a SWIM table and, one sentence each, what was left out or adjusted.

    Parameters: equal `nodes` in `racks`, slots of each, `rates` in MB/s; `trace_machines`: size of
    the traced cluster (FB-2009: 600, FB-2010: 3000), scales all bytes by nodes / trace_machines;
    `jobs`: first and last job by position, from 1; `window`: submit times begin <= t < end in s;
    `block_mb`: input of a map task; `mb_per_reduce`: shuffle and output of a reduce task;
    `cap_reduces`: a job with more reduce tasks than nodes gets nodes // 5, as in SWIM;
    processing time: `startup` s + MB / `map_rate` or `reduce_rate` in MB/s; `replicas` of each
    block on distinct nodes, drawn with `seed`. Raises `InputError` naming file and line.
    """
    for option, value in (
        ("block_mb", block_mb),
        ("mb_per_reduce", mb_per_reduce),
        ("map_rate", map_rate),
        ("reduce_rate", reduce_rate),
        ("trace_machines", 1 if trace_machines is None else trace_machines),
    ):
        if not 0 < value <= MOST:
            raise InputError(f"{option}: must be finite and > 0{bounds_of(value)}, got {value}")
    if not 0 <= startup <= MOST:
        raise InputError(f"startup: must be finite and >= 0, got {startup}")
    cluster = Cluster.uniform(
        nodes, racks=racks, map_slots=map_slots, reduce_slots=reduce_slots, rates=rates
    )
    if seed < 0:
        raise InputError(f"seed: must be >= 0, got {seed}")
    if not 1 <= replicas <= nodes:
        raise InputError(f"replicas: must be between 1 and {nodes} (the nodes), got {replicas}")
    if replicas > MOST_REPLICAS:
        raise InputError(f"replicas: must be at most {MOST_REPLICAS}, got {replicas}")

    notes = Notes()
    rows = sorted(_selected(path, _read(path), jobs, window), key=lambda row: row.submit)
    scale = 1.0 if trace_machines is None else nodes / trace_machines
    input_bytes = np.array([row.input for row in rows]) * scale
    shuffle = np.array([row.shuffle for row in rows]) * scale
    output = np.array([row.output for row in rows]) * scale

    block = block_mb * MB
    map_counts = np.maximum(np.ceil(input_bytes / block), 1)
    reduce_counts = _reduce_counts(
        shuffle, output, mb_per_reduce * MB, nodes if cap_reduces else None, notes
    )
    tasks = float(map_counts.sum() + reduce_counts.sum())
    if tasks > MOST_TASKS:
        raise InputError(
            f"{path}: {tasks:.0f} tasks, more than {MOST_TASKS}: take fewer jobs (jobs, window), "
            "scale down (trace_machines) or use larger blocks (block_mb, mb_per_reduce)"
        )
    if map_counts.sum() * replicas > MOST_ENTRIES:
        raise InputError(
            f"replicas: need at most {MOST_ENTRIES} of all map tasks, got {replicas} of each"
        )
    map_offsets = offsets(map_counts.astype(np.int64))
    reduce_offsets = offsets(reduce_counts.astype(np.int64))
    input_mb = _blocks(input_bytes, block, map_offsets) / MB
    reduce_mb = np.repeat(
        (shuffle + output) / np.maximum(reduce_counts, 1) / MB, np.diff(reduce_offsets)
    )
    _note_jobs(rows, scale, notes)
    copies = np.where(input_mb > 0, replicas, 0)
    instance = Instance(
        name=name or _stem(path),
        source=(
            f"SWIM table {file_name(path)}, trace_machines {trace_machines}, jobs {jobs}, "
            f"window {window}, block_mb {block_mb:.6f}, mb_per_reduce {mb_per_reduce:.6f}, "
            f"cap_reduces {cap_reduces}, startup {startup}, map_rate {map_rate}, "
            f"reduce_rate {reduce_rate}, replicas {replicas}, seed {seed}"
        ),
        cluster=cluster,
        job_names=tuple(row.job for row in rows),
        output_ratio=np.divide(
            shuffle, input_bytes, out=np.zeros(len(rows)), where=input_bytes > 0
        ),
        map_offsets=map_offsets,
        map_processing=startup + input_mb / map_rate,
        input_mb=input_mb,
        replica_offsets=offsets(copies),
        replicas=_distinct_nodes(int((copies > 0).sum()), replicas, nodes, seed).ravel(),
        reduce_offsets=reduce_offsets,
        reduce_processing=startup + reduce_mb / reduce_rate,
    )
    return instance, notes.lines


def _read(path: str | Path) -> list[_Row]:
    rows: list[_Row] = []
    line_of: dict[str, int] = {}
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        columns = [column.strip() for column in line.split("\t")]
        # Column 7 is an input path; the tables that have it end in two empty columns.
        if len(columns) < 6 or any(columns[7:]):
            what = kind_hint(line + "\n", "swim")
            raise InputError(
                f"{where}: need 6 columns separated by tabs (job, submit time, gap, input, shuffle "
                f"and output bytes) or 7 (input path), got {len(columns)}{what}"
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
        raise InputError(f"{path}: none of its {counted(total, 'job')} is selected")
    return rows


def _reduce_counts(
    shuffle: FloatArray, output: FloatArray, share: float, cap: int | None, notes: Notes
) -> FloatArray:
    """Reduce tasks of each job; none where nothing is shuffled."""
    counts = np.where(shuffle > 0, np.maximum(np.floor((shuffle + output) / share + 0.5), 1), 0)
    if cap is not None and (many := counts > cap).any():
        counts[many] = max(cap // 5, 1)
        notes.add(
            f"{counted(int(many.sum()), 'job')} with more reduce tasks than nodes: each given "
            f"nodes // 5 = {max(cap // 5, 1)} as in SWIM"
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


def _note_jobs(rows: Sequence[_Row], scale: float, notes: Notes) -> None:
    span = rows[-1].submit - rows[0].submit
    if span > 0:
        notes.add(f"the jobs arrived over {span:.0f} s; the instance has all at 0")

    map_only = sum(not row.shuffle for row in rows)
    if map_only:
        notes.add(f"{counted(map_only, 'job')} without shuffle: no reduce task")
    unfed = sum(not row.input for row in rows)
    if unfed:
        notes.add(f"{counted(unfed, 'job')} without input: one map task that reads nothing")
    lost = [row.shuffle * scale / MB for row in rows if row.shuffle and not row.input]
    if lost:
        notes.add(
            f"{counted(len(lost), 'job')} with shuffle but no input: the shuffle is lost "
            f"({sum(lost):.6g} MB in all)"
        )


def _stem(path: str | Path) -> str:
    """`FB-2009` for `FB-2009.tsv.gz`, `swim` for stdin."""
    stem = file_name(path).removesuffix(".gz").removesuffix(".tsv")
    return stem.removeprefix(STANDARD) or "swim"
