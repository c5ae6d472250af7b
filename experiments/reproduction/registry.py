"""The tables and figures that `slotwise reproduce` knows, in the order of the papers."""

from __future__ import annotations

from importlib import import_module

from ...core.advice import did_you_mean
from ...core.errors import InputError
from .experiment import Experiment

MODULES: dict[str, str] = {
    "ljr-figure-3": "ljr.figure_3",
    "ljr-table-2": "ljr.table_2",
    "ljr-table-3": "ljr.table_3",
    "ljr-figure-4": "ljr.figure_4",
    "ljr-figure-5": "ljr.figure_5",
    "hmhs-figure-1": "hmhs.figure_1",
    "hmhs-figure-2": "hmhs.figure_2",
    "smso-figure-1": "smso.figure_1",
    "smso-figure-2": "smso.figure_2",
    "smso-table-1": "smso.table_1",
    "lotes-figure-6": "lotes.figure_6",
    "lotes-figure-8": "lotes.figure_8",
    "mch-figure-4": "mch.figure_4",
    "mch-figure-5": "mch.figure_5",
}
"""Module below this room that has each as `EXPERIMENT`."""

PAPERS = ("ljr", "hmhs", "smso", "lotes", "mch")


def known_names() -> list[str]:
    """What may be asked for: tables and figures, papers, all."""
    return [*MODULES, *PAPERS, "all"]


def names_of(asked: list[str]) -> list[str]:
    """Names of experiments for names, papers and `all`, without doubles.

    Raises `InputError` for an unknown name.
    """
    names: dict[str, None] = {}
    for name in asked:
        if name == "all" or name in PAPERS:
            names |= dict.fromkeys(n for n in MODULES if name == "all" or n.startswith(f"{name}-"))
        elif name in MODULES:
            names[name] = None
        else:
            known = known_names()
            guess = did_you_mean(name, known)
            raise InputError(f"unknown experiment {name!r}: {guess}choose from {', '.join(known)}")
    return list(names)


def experiment(name: str) -> Experiment:
    its_experiment: Experiment = import_module(f".{MODULES[name]}", __package__).EXPERIMENT
    return its_experiment
