"""Check a claim about a schedule or a plan, and the proof of its bound, without believing anybody.

    python3 -I verifier INSTANCE RESULT CERTIFICATE [--limit SECONDS]

It needs a bare Python, no solver and nothing of slotwise. Numbers are read as the decimal fractions
that they are, and all times are whole multiples of one unit, so nothing is rounded. A certificate
only says which theorems to apply, with what numbers. What the theorems speak of is computed here,
from the text of the instance. Wrong numbers prove less, never something false.

To be read in this order: `documents` and `problem` read, `schedule` times a schedule; the theorems
are in `closed_forms` (and how long tasks take at least), `prices` (of time and of whole tasks),
`reads` (what one job reads, and orders of jobs), `last_jobs`, `spread` and `search`; `claims` says
what a certificate shows, and `judge` gives the verdict. `plans` is the same for plans of a
datacenter.
"""
