"""What every recorder must keep: its outcome, its bars and the numbers of its sentences."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from slotwise.instances.mapreduce.instance import Instance
from slotwise.instances.mapreduce.schedule import Schedule
from slotwise.reports.documents.formats import schema
from slotwise.teaching.steps.checking import bars_at_the_end
from slotwise.teaching.steps.record import Step, Steps
from slotwise.teaching.steps.steps_file import contradictions

NUMBER = re.compile(
    r"(?<![\w.])\d[\d\N{NARROW NO-BREAK SPACE}]*(?:\.\d+)?(?:e[+-]?\d+)?(?!\w)(\s*%)?"
)


def numbers_are_in_the_step(steps: Steps) -> None:
    """Every number of every sentence and title is a number of the step's document, as rounded."""
    names = {steps.method, steps.instance, *steps.lanes, *steps.groups}
    for n, step in enumerate(steps.steps, 1):
        known = [value for value in _numbers(step.document()) if math.isfinite(value)]
        known.append(len(step.candidates))
        known.append(len(step.candidates) + step.left_out)
        for text, value, places, is_percent in _said(step, names):
            exact = [100 * one for one in known] if is_percent else known
            slack = 0.5000001 * 10.0**-places
            assert any(abs(value - abs(one)) <= slack for one in exact), (
                f"step {n} says {text!r}, which is not in it: {step.title}: {step.text}"
            )


def _said(step: Step, names: set[str]) -> Iterator[tuple[str, float, int, bool]]:
    """The numbers of the sentences without those that are part of names."""
    named = names | {one.label for one in step.candidates} | {row.label for row in step.rows}
    named |= {value for value in _strings(step.document()) if value not in (step.text, step.title)}
    for text in (step.title, step.text):
        text = re.sub(r"and \d+ more\b", " ", text)  # names that a list leaves out
        for name in sorted(filter(_has_digit, named), key=len, reverse=True):
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", text)
        for found in NUMBER.finditer(text):
            digits = found.group().rstrip("% \N{NARROW NO-BREAK SPACE}")
            digits = digits.replace("\N{NARROW NO-BREAK SPACE}", "")
            mantissa, _, power = digits.partition("e")
            places = len(mantissa.partition(".")[2]) - int(power or 0)
            yield found.group(), float(digits), places, found.group(1) is not None


def _has_digit(name: str) -> bool:
    return any(letter.isdigit() for letter in name)


def _numbers(document: Any) -> Iterator[float]:
    if isinstance(document, bool) or document is None:
        return
    if isinstance(document, int | float):
        yield float(document)
    elif isinstance(document, dict):
        for value in document.values():
            yield from _numbers(value)
    elif isinstance(document, list | tuple):
        for value in document:
            yield from _numbers(value)


def _strings(document: Any) -> Iterator[str]:
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict):
        for value in document.values():
            yield from _strings(value)
    elif isinstance(document, list | tuple):
        for value in document:
            yield from _strings(value)


def equal_to_kernel(outcome: Any, kernel: Any) -> None:
    """A recorder's outcome is the method's own, bit for bit: every array and every number."""
    assert type(outcome) is type(kernel)
    assert is_dataclass(kernel)
    for one in fields(kernel):
        ours, theirs = getattr(outcome, one.name), getattr(kernel, one.name)
        if isinstance(theirs, np.ndarray):
            assert ours.dtype == theirs.dtype, one.name
            assert ours.tobytes() == theirs.tobytes(), (one.name, ours, theirs)
        elif is_dataclass(theirs):
            equal_to_kernel(ours, theirs)
        elif isinstance(theirs, float):
            assert ours == theirs or (math.isnan(ours) and math.isnan(theirs)), one.name
        else:
            assert ours == theirs, (one.name, ours, theirs)


def bars_are_the_schedule(steps: Steps, instance: Instance) -> None:
    """After the last step the picture shows the outcome, each task once."""
    schedule: Schedule = steps.outcome
    wanted = {}
    for phase, part, first, shift in (
        ("map", schedule.map, instance.map_offsets, 0),
        ("reduce", schedule.reduce, instance.reduce_offsets, steps.map_slots or 0),
    ):
        for job, name in enumerate(instance.job_names):
            for task in range(first[job], first[job + 1]):
                wanted[name, phase, int(task - first[job])] = (
                    int(part.slot[task]) + shift,
                    *(float(x[task]) for x in (part.start, part.setup, part.end)),
                )
    drawn = bars_at_the_end(steps)
    assert len(drawn) == len(wanted)
    assert {
        (row.job, row.phase, row.task): (row.slot, row.start, row.setup, row.end) for row in drawn
    } == wanted


def document_is_sound(steps: Steps) -> None:
    """The document is JSON that its schema takes, and refers to nothing that is not there."""
    import jsonschema

    document = json.loads(json.dumps(steps.document(), allow_nan=False))
    jsonschema.Draft202012Validator(schema("steps")).validate(document)
    assert contradictions(steps) == []
    assert all(step.title and step.text and step.rule for step in steps.steps)


def schedule_steps_are_sound(
    steps: Steps, instance: Instance, kernel: Schedule, *, words: bool = True
) -> None:
    """All of the above but the schema, which is slow, for a recorder of schedules.

    Looking up the numbers of the sentences takes most of the time; without `words` it is left out.
    """
    equal_to_kernel(steps.outcome, kernel)
    bars_are_the_schedule(steps, instance)
    if words:
        numbers_are_in_the_step(steps)
    assert contradictions(steps) == []
