"""The command that audits logged runs."""
