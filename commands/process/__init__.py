"""The process of a command line: its streams, its signals, and how it ends."""
