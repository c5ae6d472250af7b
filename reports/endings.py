"""Suffixes of pictures and tables in files; the first one is the default."""

GANTT = (".html", ".png", ".svg", ".pdf")
PLOT = (".png", ".svg", ".pdf")
TABLE = (".csv", ".tex", ".parquet")
