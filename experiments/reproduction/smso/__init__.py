"""The tables and figures of [SMSO]."""
