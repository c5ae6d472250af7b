"""An audit as a document: `slotwise/audit/1`."""

from __future__ import annotations

from typing import Any

from ...solvers.history.audit import Audit, Reference
from .verdict import gap_of, job_rows, verdict

FORMAT = "slotwise/audit/1"


def audit_document(audit: Audit) -> dict[str, Any]:
    """The audit in seconds; null where a figure does not exist."""
    values = _values(audit)
    makespan = audit.objective == "makespan"
    return {
        "format": FORMAT,
        "name": audit.run.name,
        "framework": audit.run.framework,
        "complete": audit.run.complete,
        "objective": audit.objective,
        "verdict": verdict(audit),
        "makespan": values if makespan else None,
        "mean_job_time": None if makespan else values,
        "references": {r.key: _reference(r) for r in audit.references},
        "causes": [
            {"cause": name, "about": about, "seconds": time / 1000, "platform": k >= audit.kept}
            for k, (name, about, time) in enumerate(audit.causes)
        ],
        "jobs": job_rows(audit),
        "facts": {name: value for name, value in audit.facts.items()},
        "assumptions": list(audit.assumptions),
        "deviations": [list(pair) for pair in audit.projection.dropped],
        "dropped": dict(audit.run.dropped),
        "versions": dict(audit.run.versions),
    }


def _values(audit: Audit) -> dict[str, Any]:
    kept = audit.reference("kept")
    steps = {step.cause: step.value / 1000 for step in audit.steps}
    return {
        "actual": audit.actual / 1000,
        "sure": kept.best / 1000 if kept.best is not None else None,
        "likely": steps.get("held by waiting reduces"),
        "relaxed": None,
        "bound": kept.bound.value / 1000,
        "proved_by": kept.bound.proved_by,
    }


def _reference(reference: Reference) -> dict[str, Any]:
    return {
        "under": reference.under,
        "best": None if reference.best is None else reference.best / 1000,
        "bound": reference.bound.value / 1000,
        "proved_by": reference.bound.proved_by,
        "gap": gap_of(reference),
    }
