"""The tables and figures of [HMHS]."""
