"""What a run of each kind of method does."""
