"""Step pages: what a heuristic decides, one decision after another, and why.

A recorder is a plain and slow second statement of a method. It gives the same schedule, allocation
or simulation as the method itself, bit for bit.
"""

RECORDERS: dict[str, str] = {}
"""Function that records each method, `module:function` below this package, by the method's name."""
