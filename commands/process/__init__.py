"""What holds for the process of a command line: its streams, its signals, how it ends."""
