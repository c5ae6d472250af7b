"""What people learn with: lesson pages, step pages and graded exercises."""
