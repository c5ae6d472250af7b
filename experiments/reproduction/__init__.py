"""The tables and figures of the five papers, and the verdict on each claim."""
