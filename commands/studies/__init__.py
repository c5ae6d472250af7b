"""`campaign`, `reproduce` and `report`: many runs, and what they came to."""
