"""The packages of slotwise, whose root is this folder."""

from setuptools import find_packages, setup

LAYERS = "core", "instances", "formulations", "heuristics", "solvers", "report"
ROOMS = [*LAYERS, "experiments", "teaching", "commands"]
FOUND = find_packages(include=[*ROOMS, *(f"{name}.*" for name in ROOMS)])
setup(packages=["slotwise", *(f"slotwise.{name}" for name in FOUND)])
