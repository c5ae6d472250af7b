"""Names of the optional parts of an instance; a method says which of them it understands."""

SPEED_FACTORS = "speed factors"
SECURITY = "security"
OUTAGES = "outages"

ALL_PARTS = frozenset({SPEED_FACTORS, SECURITY, OUTAGES})
