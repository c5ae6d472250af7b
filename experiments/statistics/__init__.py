"""Analysis of variance, means with their intervals, performance profiles."""
