"""The tables and figures of [LJR]."""
