"""Names of the optional parts of an instance; methods declare which of them they understand."""

SPEED_FACTORS = "speed factors"
SECURITY = "security"
OUTAGES = "outages"

ALL_PARTS = frozenset({SPEED_FACTORS, SECURITY, OUTAGES})
