"""An audit as a document: `slotwise/audit/1`."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from ...solvers.history.audit import Audit, Reference, Sizes
from .detail import detail_document
from .verdict import gap_of, job_rows, verdict

FORMAT = "slotwise/audit/1"


def audit_document(audit: Audit) -> dict[str, Any]:
    """The audit in seconds; null where a figure does not exist."""
    by = {audit.objective: audit}
    if audit.other is not None:
        by[audit.other.objective] = audit.other
    return {
        "format": FORMAT,
        "name": audit.run.name,
        "framework": audit.run.framework,
        "complete": audit.run.complete,
        "objective": audit.objective,
        "overheads": audit.overheads,
        "verdict": verdict(audit),
        "makespan": _values(by.get("makespan")),
        "mean_job_time": _values(by.get("mean")),
        "causes": [
            {"cause": name, "about": about, "seconds": time / 1000, "platform": k >= audit.kept}
            for k, (name, about, time) in enumerate(audit.causes)
        ],
        "detail": detail_document(audit),
        "jobs": job_rows(audit),
        "sizes": _sizes(audit.sizes),
        "facts": dict(audit.facts),
        "assumptions": list(audit.assumptions),
        "deviations": [list(pair) for pair in audit.projection.dropped],
        "dropped": dict(audit.run.dropped),
        "versions": {**audit.run.versions, "slotwise": version("slotwise")},
    }


def _values(audit: Audit | None) -> dict[str, Any] | None:
    """What was, what was possible and what was not by one objective, in seconds."""
    if audit is None:
        return None
    kept = _reference(audit.reference("kept"))
    del kept["under"]
    return {
        "actual": audit.actual / 1000,
        **kept,
        "references": {reference.key: _reference(reference) for reference in audit.references},
    }


def _sizes(sizes: Sizes | None) -> dict[str, Any] | None:
    if sizes is None:
        return None
    asked = [
        {"slots": s.slots, "best": s.best / 1000, "bound": s.bound.value / 1000}
        for s in sizes.asked
    ]
    return {"asked": asked, "fewest": sizes.fewest, "impossible_below": sizes.least}


def _reference(reference: Reference) -> dict[str, Any]:
    return {
        "under": reference.under,
        "sure": _seconds(reference.best),
        "likely": _seconds(reference.likely),
        "relaxed": _seconds(reference.least),
        "bound": reference.bound.value / 1000,
        "proved_by": reference.bound.proved_by,
        "gap": gap_of(reference),
    }


def _seconds(value: float | None) -> float | None:
    return None if value is None else value / 1000
