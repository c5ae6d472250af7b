"""The verbs that put methods side by side."""
