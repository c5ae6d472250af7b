"""Lower bounds whose certificates are prices, sets of jobs or horizons; see `verify.py`."""

try:
    from . import verify
except ImportError:  # beside verify.py, without slotwise
    import verify  # type: ignore[import-not-found,no-redef]

PROOFS = {}
"""Theorem by name: a function from the problem and the certificate's numbers to a bound in units."""
