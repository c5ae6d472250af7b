"""Random numbers that depend on the job alone, not on what was drawn before."""

from __future__ import annotations

import numpy as np

from ....instances.kernels.decorators import kernel


@kernel
def uniform(seed: int, number: int) -> float:
    """Draw a number for a job: SplitMix64 ([SplitMix2014]) at its position.

    Parameters
    ----------
    seed
        At least 0.
    number
        The job's position in the workload.

    Returns
    -------
    float
        Uniform in [0, 1).
    """
    z = np.uint64(seed) * np.uint64(0xD1342543DE82EF95)
    z += (np.uint64(number) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.float64(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)
