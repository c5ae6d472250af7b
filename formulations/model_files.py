"""Pyomo models by name, the schedules that they mean, and files that other solvers read."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pyomo.environ as pyo

from ..core.calls import check_argument, checked
from ..core.errors import InputError
from ..core.files.outputs import check_ending, temporary_folder, write_bytes
from ..core.registry import Choice
from ..instances.datacenter.datacenter import Datacenter
from ..instances.hierarchy.hierarchy import Hierarchy
from ..instances.mapreduce.instance import Instance
from ..instances.mapreduce.schedule import Schedule
from . import FORMULATIONS, MODEL_ENDINGS

LONGEST_NAME = 200
"""Characters of a name; readers of LP files take 255, and Pyomo adds some to names of rows."""

LP_WORDS = re.compile(
    r"(min|max)(imi[sz]e|imum)?|s\.?t\.?|subject|such|to|that|bounds?|free|inf(inity)?"
    r"|bin(ary|aries)?|gen(erals?)?|int(egers?)?|semi|sec|sos[12]?|end",
    re.IGNORECASE,
)
"""What a name in an LP file cannot be."""

KINDS: dict[str, type] = {"mapreduce": Instance, "datacenter": Datacenter, "hierarchy": Hierarchy}

Problem = Instance | Datacenter | Hierarchy

_MODEL_OF = {"on_map": "job_order", "map_follows": "sequence", "map_count": "heterogeneous"}
"""The formulation that has a variable."""


@checked
def build(instance: Problem, model: Choice, **parameters: Any) -> pyo.ConcreteModel:
    """The Pyomo model of a problem.

    Parameters
    ----------
    instance : Instance, Datacenter or Hierarchy
        Of the kind that the formulation is for.
    model : str, callable or Entry
        The name of a formulation (`slotwise.build(instance, "job-order")`), or a function from a
        problem to a model.
    **parameters
        Those of the formulation's own `build`, for example `horizon` in s.

    Returns
    -------
    pyomo.environ.ConcreteModel
        With constraint components that carry the equation numbers of its source. Any solver that
        Pyomo knows solves it, with constraints of your own if you add some.

    Raises
    ------
    InputError
        For an unknown name, the wrong kind of problem, or one that the formulation cannot express.
    """
    entry = FORMULATIONS.resolve(model)
    if isinstance(model, str):
        check_argument(f"build of {entry.name}: instance", instance, KINDS[entry.takes])
    else:
        check_argument("build: instance", instance, *KINDS.values())
    return entry.call("formulation", instance, **parameters)


def schedule_of(model: pyo.ConcreteModel) -> Schedule:
    """The schedule that a solved model means, whatever solver has found it.

    Slots and orders are those of the variables; times are worked out anew, so that no task starts
    earlier than it can. `slotwise.check` says whether the schedule is valid.

    Parameters
    ----------
    model : pyomo.environ.ConcreteModel
        A model that `slotwise.build` made, `job-order`, `sequence` or `heterogeneous`, with the
        values that a solver has given its variables. It may have constraints of your own.

    Returns
    -------
    Schedule
        The schedule; its makespan can be below the model's objective, never above.

    Raises
    ------
    InputError
        For another model, and for one without a solution.
    """
    known = [name for name in _MODEL_OF if model.component(name) is not None]
    if not known or not hasattr(model, "data"):
        raise InputError(
            "schedule_of: needs a model of slotwise.build: job-order, sequence or heterogeneous "
            "(the others are bounds, whose solutions are no schedules)"
        )
    free = [v for v in model.component(known[0]).values() if v.value is None and not v.fixed]
    if free:
        raise InputError(
            f"schedule_of: the model has no solution, {free[0].name} has no value: solve it first"
        )
    formulation = import_module(f".mapreduce.{_MODEL_OF[known[0]]}.model", __package__)
    found: Schedule = formulation.schedule(model)
    return found


@checked
def write_model(
    instance: Problem | None,
    model: Choice | pyo.ConcreteModel,
    path: str | Path,
) -> None:
    """Write a model as an LP or MPS file, with names that can be read.

    Variables are called as in the model, `on_map(0_1)` for `on_map[0, 1]`, and rows after their
    equations, `c_e_J1_map_task_on_one_slot(0)_`. Characters that LP files do not take become
    underscores; names that would then be equal get a number.

    Parameters
    ----------
    instance : Instance, Datacenter, Hierarchy or None
        The problem; None for a model that is built already.
    model : str, callable, Entry or pyomo.environ.ConcreteModel
        A formulation as in `build`, or a model that is built already.
    path : str or Path
        Ends in `.lp` or `.mps`, or in `.lp.gz` or `.mps.gz`, which is compressed.

    Raises
    ------
    InputError
        As `build`, and for another ending.
    OutputError
        If the file could not be written.
    """
    kind = check_ending(str(path).removesuffix(".gz"), MODEL_ENDINGS, "a model")
    if not isinstance(model, pyo.ConcreteModel):
        if instance is None:
            raise InputError(
                "write_model: instance: needs an instance, or a model that is built already"
            )
        model = build(instance, model)
    write_bytes(path, model_content(model, kind))


def model_content(model: pyo.ConcreteModel, ending: str) -> bytes:
    with temporary_folder() as folder:
        path = folder / f"model{ending}"
        model.write(str(path), io_options={"labeler": _Labels()})
        content = path.read_bytes()
    # Pyomo writes the model's own name, whatever it holds.
    name = _safe(model.name).encode()
    if ending == ".lp":
        return b"\\ " + name + content[content.index(b"\n") :]
    return re.sub(rb"(?m)^NAME .*$", b"NAME " + name, content, count=1)


class _Labels:
    """Gives each component a name of its own that LP and MPS files take."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def __call__(self, component: Any) -> str:
        name = _safe(component.name.replace("[", "(").replace("]", ")").replace(",", "_"))
        given, number = name, 1
        while given in self._given:
            number += 1
            given = f"{name}_{number}"
        self._given.add(given)
        return given


def _safe(name: str) -> str:
    """ASCII without spaces and operators, neither a number's beginning nor a word of LP files."""
    safe = re.sub(r"[^A-Za-z0-9_().]", "_", name)[:LONGEST_NAME]
    taken = LP_WORDS.fullmatch(safe) or not re.match(r"(?![eE][0-9])[A-Za-z_]", safe)
    return f"x_{safe}" if taken else safe
