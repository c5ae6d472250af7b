"""The tables and figures of [LoTES]."""
