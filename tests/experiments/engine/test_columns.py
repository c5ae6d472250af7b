"""Where the columns of the tables stand, which readers of the tables rely on."""

from dataclasses import replace

import pytest
from studies import run_here

from slotwise.core.errors import InputError
from slotwise.experiments.engine.tables import results_frame
from slotwise.experiments.study.instance_sources import called, drawn
from slotwise.experiments.study.study import Block, Study

SMALL = {"jobs": 2}


def study():
    instances = drawn("ljr-small", range(2), sweep={"nodes": [2, 3]}, **SMALL)
    methods = [
        called("heuristic", "FIFO"),
        called("heuristic", "EASS", omega=0.5),
        called("heuristic", "EFSS", omega=0.3),
    ]
    return Study("columns", [Block(instances, methods)], bounds=("LB2",))


def test_parameters_stand_between_the_names_and_what_came_of_them():
    columns = list(run_here(study()).columns)
    place = columns.index
    assert columns[place("instance") + 1 : place("kind")] == ["jobs", "nodes", "seed"]
    assert columns[place("method") + 1 : place("status")] == ["omega"]
    assert columns[place("best_makespan") + 1] == "bound LB2"


def test_the_columns_are_there_before_any_run_has_ended():
    columns = list(results_frame(study(), {}).columns)
    assert columns[columns.index("method") + 1] == "omega"
    assert len(results_frame(study(), {})) == 0


def test_a_name_that_means_two_things_says_which_in_all_rows():
    instances = drawn("ljr-small", range(1), nodes=2, **SMALL)
    methods = [called("heuristic", "FIFO"), called("heuristic", "R-HMHS", seed=3)]
    frame = run_here(Study("seeds", [Block(instances, methods)]))
    assert "seed" not in frame.columns
    assert frame["instance.seed"].tolist() == [0, 0]
    assert frame["method.seed"].fillna(-1).tolist() == [-1, 3]


def test_settings_that_no_column_tells_apart_are_refused():
    # Every table would show them as one method on twice as many instances.
    instances = drawn("ljr-small", range(1), **SMALL)
    limits = [called("solve", "solve", time_limit=limit) for limit in (1.0, 9.0)]
    with pytest.raises(InputError, match="solve 'solve' is there with two settings that no column"):
        Study("limits", [Block(instances, limits[:1]), Block(instances, limits)])
    shown = [replace(method, shown=("time_limit",)) for method in limits]
    assert len(Study("limits", [Block(instances, shown)]).runs) == 2
