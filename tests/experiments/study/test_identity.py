"""Names of runs: what makes another run, and what does not."""

import gzip
import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import slotwise
from slotwise.experiments.study.identity import own_version
from slotwise.experiments.study.study import InstanceSource, MethodCall, Run, Study
from slotwise.experiments.study.study_file import make_study

RULE = "def rule(instance, width=1):\n    return None\n"


def ids(folder: Path | str = ".", methods: Any = None, **instances: Any) -> list[str]:
    """The runs of a study with one table of instances and one of methods."""
    tables = instances or {"generator": "two-stage"}
    tried = [methods or {"heuristic": "EFSS"}]
    return [run.id for run in make_study({"instances": [tables], "methods": tried}, folder).runs]


def test_a_name_is_half_a_sha_256_of_everything_in_one_text() -> None:
    # Worked out by hand from the description: sorted keys, no blanks, 0.50 as a number, 3.0 as 3.
    parameters = '{"jobs":3,"map_machines":3,"reduce_machines":3,"seed":0,"times":[1,99]}'
    text = (
        f'{{"instance":{{"generator":"two-stage","parameters":{parameters}}},'
        '"method":{"kind":"heuristic","name":"EFSS","parameters":{"omega":0.5}},'
        f'"version":"{own_version()}"}}'
    )
    (found,) = ids(generator="two-stage", jobs=3.0, methods={"heuristic": "EFSS", "omega": 0.50})
    assert found == hashlib.sha256(text.encode()).hexdigest()[:32]


def test_another_version_of_slotwise_makes_other_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    before = ids()
    monkeypatch.setattr("slotwise.experiments.study.identity.own_version", lambda: "0.0.7")
    assert ids() != before


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"jobs": 2}, {"jobs": 2.0}),
        ({"times": [1, 50]}, {"times": [1.0, 50.0]}),
        ({}, {"jobs": 20}),  # the default
        ({}, {"times": [1, 99]}),
        ({}, {"seed": 0}),
        ({"sweep": {"jobs": [7]}}, {"jobs": 7}),
        ({"cases": [{"jobs": 7}]}, {"jobs": 7}),
    ],
)
def test_the_same_instance_said_in_two_ways(one: Any, other: Any) -> None:
    assert ids(generator="two-stage", **one) == ids(generator="two-stage", **other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"heuristic": "EFSS"}, {"heuristic": "EFSS", "omega": 0.7}),
        ({"heuristic": "EFSS", "omega": 1}, {"heuristic": ["EFSS"], "sweep": {"omega": [1.0]}}),
        ({"solve": True}, {"solve": True, "time_limit": 60, "threads": 1}),
        ({"solve": True, "time_limit": 3.0}, {"solve": True, "sweep": {"time_limit": [3]}}),
    ],
)
def test_the_same_method_said_in_two_ways(one: Any, other: Any) -> None:
    assert ids(methods=one) == ids(methods=other)


@pytest.mark.parametrize(
    ("instances", "methods"),
    [
        ({"generator": "two-stage", "seed": 1}, {"heuristic": "EFSS"}),
        ({"generator": "two-stage", "times": [1, 98]}, {"heuristic": "EFSS"}),
        ({"generator": "ljr-small"}, {"heuristic": "EFSS"}),
        ({"generator": "two-stage"}, {"heuristic": "EASS"}),
        ({"generator": "two-stage"}, {"heuristic": "EFSS", "omega": 0.5}),
        ({"generator": "two-stage"}, {"solve": True}),
        ({"generator": "two-stage"}, {"solve": True, "time_limit": 61}),
        ({"generator": "two-stage"}, {"solve": True, "threads": 2}),
        ({"generator": "two-stage"}, {"solve": True, "methods": "job-order"}),
    ],
)
def test_other_runs_have_other_names(instances: Any, methods: Any) -> None:
    every = [
        *ids(generator="two-stage"),
        *ids(methods={"solve": True}),
        *ids(methods=methods, **instances),
    ]
    same = [(instances, methods) == ({"generator": "two-stage"}, {"solve": True})]
    assert len(set(every)) == 3 - sum(same)


def test_a_file_is_what_it_holds(tmp_path: Path) -> None:
    content = slotwise.generate("two-stage", jobs=2, seed=0)
    slotwise.write(content, tmp_path / "a.json")
    text = (tmp_path / "a.json").read_bytes()
    (first,) = ids(tmp_path, files="a.json")
    (tmp_path / "a.json").rename(tmp_path / "b.json")
    (tmp_path / "c.json.gz").write_bytes(gzip.compress(text))
    assert ids(tmp_path, files="b.json") == [first]
    assert ids(tmp_path, files="*.gz") == [first]  # compressing changes nothing that is held
    (tmp_path / "b.json").write_bytes(text + b"\n")
    assert ids(tmp_path, files="b.json") != [first]


def test_a_function_is_its_source_and_what_it_imports_from_its_folder(tmp_path: Path) -> None:
    def now(name: str = "rule.py:rule", **parameters: Any) -> str:
        (found,) = ids(tmp_path, {"function": name, **parameters})
        return found

    (tmp_path / "rule.py").write_text(RULE)
    (tmp_path / "beside.py").write_text("A = 1\n")
    first = now()
    assert now(width=1) == first != now(width=2)
    assert now(time_limit=60) == first != now(time_limit=61)
    (tmp_path / "beside.py").write_text("A = 2\n")  # not imported
    assert now() == first
    (tmp_path / "rule.py").write_text("import beside\n" + RULE)
    second = now()
    assert second != first
    (tmp_path / "beside.py").write_text("from within import deep\n")
    (tmp_path / "within").mkdir()
    (tmp_path / "within/__init__.py").write_text("")
    (tmp_path / "within/deep.py").write_text("A = 3\n")
    third = now()
    (tmp_path / "within/deep.py").write_text("A = 4\n")  # imported by what is imported
    assert len({first, second, third, now()}) == 4


def test_files_that_moved_with_their_function_change_nothing(tmp_path: Path) -> None:
    found = []
    for folder in (tmp_path / "here", tmp_path / "there"):
        folder.mkdir()
        (folder / "rule.py").write_text(RULE)
        found += ids(folder, {"function": "rule.py:rule"})
    assert found[0] == found[1]


def test_where_and_in_what_order_runs_are_is_not_in_their_names() -> None:
    study = make_study(
        {
            "instances": [{"generator": "two-stage", "jobs": 3}],
            "methods": [{"heuristic": ["EFSS", "EASS"]}],
        }
    )
    turned = make_study(
        {
            "name": "another",
            "seeds": [1, 0],
            "instances": [{"generator": "two-stage", "sweep": {"jobs": [4, 3]}}],
            "methods": [{"heuristic": ["EASS", "EFSS"]}],
        }
    )
    assert {run.id for run in study.runs} < {run.id for run in turned.runs}
    (run, *_) = study.runs
    elsewhere = Run(run.id, 7, replace(run.instance, shown=()), replace(run.method, shown=()))
    assert _name(elsewhere.instance, elsewhere.method) == run.id


def _name(instance: InstanceSource, method: MethodCall) -> str:
    from slotwise.experiments.study.study import Block

    return Study("alone", [Block([instance], [method])]).runs[0].id
