"""What the options of `slotwise audit` ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast, get_args

from ...core.advice import check_choice
from ...core.calls.objective import Objective
from ...core.errors import InputError

if TYPE_CHECKING:
    from ...instances.history.reading import HistoryOptions
    from ...instances.history.window import Window
    from ...solvers.history.audit import AuditOptions, Overheads


class Asked(NamedTuple):
    """What the options say of an audit, of what its logs do not tell, of which jobs and of how many
    histories; and the line of the shell that had them."""

    judging: AuditOptions
    reading: HistoryOptions
    window: Window
    slots: list[int]
    overheads: Overheads
    line: str
    top: int | None


def objective_named(name: str | None) -> Objective | None:
    """The objective of that name. Raises `InputError` for another."""
    if name is None:
        return None
    check_choice("--objective", name, get_args(Objective))
    return cast("Objective", name)


def overheads_named(name: str) -> Overheads:
    """The references of that name. Raises `InputError` for another."""
    from ...solvers.history.audit import Overheads

    check_choice("--overheads", name, get_args(Overheads))
    return cast("Overheads", name)


def check_setups(name: str) -> None:
    """Raise `InputError` unless tasks take what was measured, which is all that audits know."""
    check_choice("--setups", name, ("measured", "model"))
    if name == "model":
        raise InputError(
            "--setups model: histories keep neither where a task's input lay nor the rates of the "
            "network, so what it takes elsewhere cannot be modelled; --detail estimates locality"
        )
