"""What a function of the user's own takes: only what it annotates is checked."""

from pathlib import Path

import pytest

from slotwise.core.errors import InputError
from slotwise.experiments.study.study import Study
from slotwise.experiments.study.study_file import make_study


def own(folder: Path, signature: str, **sweep: list[object]) -> Study:
    """A study of a function with these parameters."""
    (folder / "own.py").write_text(f"def rule(instance{signature}):\n    return None\n")
    tables = {
        "instances": [{"generator": "ljr", "jobs": 2, "nodes": 3}],
        "methods": [{"function": "own.py:rule", "sweep": sweep}],
    }
    return make_study(tables, folder)


def test_parameters_without_annotations_take_any_value(tmp_path: Path) -> None:
    study = own(tmp_path, ", width, depth=2", width=[1, 0.5, "wide"], depth=[0.5])
    assert [run.method.columns for run in study.runs] == [
        {"width": width, "depth": 0.5} for width in (1, 0.5, "wide")
    ]


def test_annotations_are_checked(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\[\[methods\]\] 1: width: need an integer, got 0.5"):
        own(tmp_path, ", width: int", width=[1, 0.5])
