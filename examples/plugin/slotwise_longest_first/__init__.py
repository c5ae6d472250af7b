"""A heuristic, a lower bound and a method for slotwise."""
