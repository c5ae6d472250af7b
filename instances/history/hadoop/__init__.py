"""Job histories of Hadoop as runs: Rumen traces and .jhist files."""
