"""The parameters of `solve`; importing this is quick, so that commands can take them as options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import TYPE_CHECKING, cast

from ...core.errors import InputError
from ...core.parameters import described, parameter
from ...core.registry import Choices, Entry
from ..progress import ProgressCallback
from . import METHODS

if TYPE_CHECKING:
    from .result import Result

MOST_THREADS = 1024


@dataclass(frozen=True, kw_only=True)
class SolveParams:
    """The parameters of `slotwise.solve`; raises `InputError` for senseless ones."""

    methods: Choices | None = field(
        default=None,
        metadata=described(
            "Exact methods: a name, a function of an instance and a `Runner`, an entry of "
            "`slotwise.solvers.METHODS`, or several, which run side by side; by default "
            "`chosen_methods` chooses. A method of one's own gets instances without optional parts "
            "only, unless its entry says that it understands them."
        ),
    )
    time_limit: float = parameter(60.0, "Wall time (s).")
    threads: int | None = parameter(None, "For all methods together; by default all cores.")
    relative_gap: float = parameter(1e-7, "Stop at this gap, relative to the bound.")
    absolute_gap: float = parameter(0.0, "Stop at this gap (s).")
    on_progress: ProgressCallback | None = field(
        default=None, metadata=described("Called with each step.")
    )
    stop: Event | None = field(
        default=None,
        metadata=described("Ends the search when it is set: a `threading.Event`."),
    )
    heuristics: Choices | Sequence[Result] | None = field(
        default=None,
        metadata=described(
            "Names, functions or entries of those to run, or their results if the caller has them; "
            "by default all that keep the rules."
        ),
    )
    bounds: Choices | None = field(
        default=None,
        metadata=described(
            "Names, functions or entries of the closed-form bounds; by default all."
        ),
    )

    def __post_init__(self) -> None:
        from ...core.clock import check_time_limit

        check_time_limit(self.time_limit)
        for name in ("relative_gap", "absolute_gap"):
            if not getattr(self, name) >= 0:
                raise InputError(f"{name}: need at least 0, got {getattr(self, name)}")
        if self.threads is not None and not 1 <= self.threads <= MOST_THREADS:
            raise InputError(f"threads: must be 1 to {MOST_THREADS}, got {self.threads}")

    @property
    def named(self) -> list[Entry]:
        """The methods asked for, none if they are to be chosen. Raises `InputError`."""
        named = [] if self.methods is None else METHODS.resolve_all(self.methods)
        if self.methods is not None and not named:
            raise InputError("methods: none is named; leave it out for those that suit")
        return named

    @property
    def known(self) -> list[Result]:
        """The results of heuristics that the caller has."""
        from .result import Result

        given = self.heuristics
        if isinstance(given, str) or not isinstance(given, Sequence):
            return []
        return [each for each in given if isinstance(each, Result)]

    @property
    def asked_heuristics(self) -> Choices | None:
        """The heuristics to run, unless their results are known."""
        return None if self.known else cast(Choices | None, self.heuristics)
