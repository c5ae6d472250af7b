"""The verbs for learning."""
