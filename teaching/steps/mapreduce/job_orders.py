"""Steps that order the jobs: by Johnson's rule, and by the ends of their map phases."""

from __future__ import annotations

from collections.abc import Sequence

from ....core.wording import listed, number, seconds, sentences
from ....heuristics.mapreduce.list_scheduling.orders import phase_durations
from ....instances.mapreduce.instance import Instance
from ..record import Candidate, Fact, Step

MOST_JOBS = 40
"""Jobs that such a step lists."""


def johnson_step(instance: Instance, omega: float) -> tuple[list[int], Step]:
    """The jobs by Johnson's rule ([LJR], section 4.1.1), and why."""
    maps, reduces = (durations.tolist() for durations in phase_durations(instance, omega))
    early = [i for i in range(instance.jobs) if maps[i] <= reduces[i]]
    late = [i for i in range(instance.jobs) if maps[i] > reduces[i]]
    early.sort(key=lambda i: (maps[i], i))
    late.sort(key=lambda i: (-reduces[i], i))
    order, names = early + late, instance.job_names
    text = [f"How long the phases of a job last is estimated with omega {number(omega)}"]
    if early:
        text.append(
            "First come the jobs whose map phase is no longer than their reduce phase, the "
            f"shortest map phase first: {_named(names, early)}"
        )
    if late:
        after = "Then the others come" if early else "All map phases are longer: jobs come"
        text.append(f"{after} longest reduce phase first: {_named(names, late)}")
    least = min(order, key=lambda i: (maps[i] + reduces[i], i))
    facts: dict[str, Fact] = {"omega": omega}
    is_tempting = least != order[0]
    if is_tempting:
        facts["least"] = maps[least] + reduces[least]
        text.append(
            f"{names[least]} has the least to do, {seconds(maps[least] + reduces[least])}, but "
            + _why_not_first(least, order[0], maps, reduces, names)
        )
    shown = [*order[:MOST_JOBS], *([least] if least in order[MOST_JOBS:] else [])]
    step = Step(
        kind="order",
        title=f"Jobs by Johnson's rule: {_named(names, order)}",
        rule="Johnson's rule",
        text=sentences(*text),
        candidates=tuple(
            Candidate(None, names[i], {"map phase": maps[i], "reduce phase": reduces[i]})
            for i in shown
        ),
        loser=shown.index(least) if is_tempting else None,
        left_out=len(order) - len(shown),
        facts=facts,
    )
    return order, step


def _why_not_first(
    job: int, first: int, maps: Sequence[float], reduces: Sequence[float], names: Sequence[str]
) -> str:
    if maps[job] > reduces[job] >= 0 and maps[first] <= reduces[first]:
        return (
            f"its map phase is longer than its reduce phase, {seconds(maps[job])} against "
            f"{seconds(reduces[job])}"
        )
    what, times = ("map", maps) if maps[job] <= reduces[job] else ("reduce", reduces)
    if times[job] == times[first]:
        return f"its {what} phase is as long as that of {names[first]}, which comes before it"
    than = "longer" if what == "map" else "shorter"
    return (
        f"its {what} phase is {than} than that of {names[first]}, {seconds(times[job])} against "
        f"{seconds(times[first])}"
    )


def release_step(
    instance: Instance, map_end: Sequence[float]
) -> tuple[list[int], list[float], Step | None]:
    """The jobs by the ends of their map phases, these ends (s), and why; no step without reduces.

    `map_end`: end of each map task (s).
    """
    first = instance.map_offsets.tolist()
    release = [max(map_end[first[i] : first[i + 1]], default=0.0) for i in range(instance.jobs)]
    order = sorted(range(instance.jobs), key=lambda i: (release[i], i))
    there = [i for i in order if instance.reduces_of[i]]
    if not there:
        return order, release, None
    names = instance.job_names
    text = [
        "Reduce tasks are placed job by job. The job whose last map task ends first comes first: "
        + _named(names, there)
    ]
    if len(there) > 1:
        a, b = there[:2]
        text.append(
            f"{names[a]} is ready at {seconds(release[a])}, {names[b]} at {seconds(release[b])}"
            + ("; the lower number goes first" if release[a] == release[b] else "")
        )
    step = Step(
        kind="order",
        title=f"Reduce tasks by job: {_named(names, there)}",
        rule="end of the map phase",
        text=sentences(*text),
        candidates=tuple(
            Candidate(None, names[i], {"last map ends": release[i]}) for i in there[:MOST_JOBS]
        ),
        loser=1 if len(there) > 1 else None,
        left_out=max(0, len(there) - MOST_JOBS),
    )
    return order, release, step


def _named(names: Sequence[str], jobs: Sequence[int]) -> str:
    return listed([names[i] for i in jobs])
