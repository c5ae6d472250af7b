"""Words for methods that take all jobs to be there at time 0."""

from __future__ import annotations

import numpy as np

from ...core.errors import InputError
from .instance import Instance


def check_at_once(instance: Instance, what: str, others: str) -> None:
    """Raise `InputError` if a job has a release time; the message names what to use instead."""
    for job in np.flatnonzero(instance.released > 0)[:1].tolist():
        raise InputError(
            f"release: {what} needs all jobs at 0 (job {instance.job_names[job]!r} is released at "
            f"{instance.released[job]:.12g} s); use {others}"
        )
