"""Names of the optional parts of an instance; methods declare which of them they understand."""

SPEED_FACTORS = "speed factors"
SECURITY = "security"
OUTAGES = "outages"
RELEASES = "release times"

PARTS_AT_ONCE = frozenset({SPEED_FACTORS, SECURITY, OUTAGES})
"""What a method may understand that takes all jobs to be there at time 0."""

ALL_PARTS = PARTS_AT_ONCE | {RELEASES}
