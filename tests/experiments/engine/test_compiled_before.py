"""What a run needs is compiled before its clock starts: a time limit is for searching."""

from slotwise.experiments.engine.perform import prepare
from slotwise.experiments.study.study import Unit
from slotwise.experiments.study.study_file import make_study
from slotwise.solvers.mapreduce.branch_and_bound import search


def unit(jobs: int, **method: object) -> Unit:
    study = make_study(
        {
            "instances": [{"generator": "two-stage", "jobs": jobs}],
            "methods": [{"solve": True, **method}],
        }
    )
    return study.units[0]


def test_branch_and_bound_is_compiled_where_solve_takes_it(monkeypatch) -> None:
    compiled: list[str] = []
    monkeypatch.setattr(search, "is_compiled", lambda: bool(compiled.append("asked")) or True)
    prepare(unit(100))  # too many tasks for it
    prepare(unit(3, methods="job-order"))
    assert not compiled
    prepare(unit(3))
    prepare(unit(100, methods=["job-order", "branch-and-bound"]))
    assert len(compiled) == 2
    monkeypatch.undo()
    prepare(unit(3))
    assert search.is_compiled()
