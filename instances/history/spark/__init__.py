"""Event logs of Apache Spark as runs."""
