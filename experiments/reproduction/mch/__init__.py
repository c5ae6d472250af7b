"""The tables and figures of [MCH]."""
