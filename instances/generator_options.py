"""Parameters that several generators have."""

from __future__ import annotations

from ..core.parameters import described

Range = tuple[float, float]
"""Least and greatest number of a continuous uniform distribution."""
Counts = tuple[int, int]
"""Least and greatest number of a uniform distribution of integers, both included."""

SEED = described("The same seed gives the same file.", least=0)
MAPS_RANGE = described("Map tasks per job, uniform, instead of normal.", option="maps")
REDUCES_RANGE = described("Reduce tasks per job, uniform, instead of normal.", option="reduces")

BLOCK_SIZES_MB = (128.0, 192.0, 256.0, 320.0)
"""Block sizes of LJR, MB."""
OUTPUT_RATIOS = (0.2, 0.4, 0.6, 0.8, 1.0)
"""Output per input of a job, of LJR."""
