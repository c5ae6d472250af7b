"""Pages that show what a campaign came to."""
