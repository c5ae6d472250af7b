"""What runs in the child process beside a submission; it imports nothing of the package."""
