"""What histories and instances share of Hadoop: its jobs as records, and Rumen's files."""
