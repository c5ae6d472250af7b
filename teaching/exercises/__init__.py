"""Exercises, and the grader that looks for the smallest instance that breaks an answer."""
