"""The packages of slotwise, whose root is this folder."""

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

LAYERS = "core", "verifier", "instances", "formulations", "heuristics", "solvers", "reports"
ROOMS = [*LAYERS, "experiments", "teaching", "commands"]
FOUND = find_packages(include=[*ROOMS, *(f"{name}.*" for name in ROOMS)])


class WithoutThisFile(build_py):
    def find_package_modules(self, package, package_dir):
        found = super().find_package_modules(package, package_dir)
        return [module for module in found if module[1] != "setup"]


setup(
    packages=["slotwise", *(f"slotwise.{name}" for name in FOUND)],
    cmdclass={"build_py": WithoutThisFile},
)
