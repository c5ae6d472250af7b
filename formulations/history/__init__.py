"""Models and bounds of runs that clusters logged."""
