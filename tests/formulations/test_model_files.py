"""Models by name, and LP and MPS files that another reader solves to the same optimum."""

import gzip
from pathlib import Path
from typing import Any

import highspy
import pyomo.environ as pyo
import pytest
from make import DATACENTER, INSTANCE, TREE

import slotwise
from slotwise.commands.app import run
from slotwise.formulations import FORMULATIONS
from slotwise.solvers.backends import highs

PLAIN = slotwise.Instance.from_jobs(
    "two *\\ jobs",
    slotwise.Cluster.uniform(2, map_slots=1, reduce_slots=1),
    [
        slotwise.Job("a", [slotwise.MapTask(3.0, 100.0, ["n0"]), 4.0], [5.0, 1.0], 0.5),
        slotwise.Job("b", maps=[2.0], reduces=[2.5]),
    ],
)


def problem_of(name: str) -> Any:
    takes = FORMULATIONS.lookup(name).takes
    equal = name in ("heterogeneous", "unrelated-machines")
    return {"mapreduce": INSTANCE if equal else PLAIN, "datacenter": DATACENTER, "hierarchy": TREE}[
        takes
    ]


def optimum(path: Path) -> tuple[float, list[str]]:
    """What HiGHS finds by its own reader, and the names of the columns."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    assert solver.readModel(str(path)) == highspy.HighsStatus.kOk
    solver.run()
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return solver.getObjectiveValue(), list(solver.getLp().col_names_)


@pytest.mark.parametrize("ending", ["lp", "mps"])
@pytest.mark.parametrize("name", FORMULATIONS.names)
def test_a_file_has_the_optimum_of_its_model(name: str, ending: str, tmp_path: Path) -> None:
    problem = problem_of(name)
    model = slotwise.build(problem, name)
    path = tmp_path / f"model.{ending}"
    slotwise.write_model(problem, name, path)
    found, names = optimum(path)
    highs.solve(model)
    (objective,) = model.component_data_objects(pyo.Objective, active=True)
    assert found == pytest.approx(pyo.value(objective), rel=1e-6)
    components = {str(v.parent_component().name) for v in model.component_data_objects(pyo.Var)}
    assert {n.split("(")[0] for n in names} <= components | {"ONE_VAR_CONSTANT"}


def awkward() -> pyo.ConcreteModel:
    """Names that LP files do not take, or that become the same; its optimum is 9."""
    model = pyo.ConcreteModel(name="a *\\ b\nc")
    model.x = pyo.Var(["a b", "a_b", "ä/1", "e1"], domain=pyo.Binary)
    model.e1 = pyo.Var(bounds=(0, 1))
    model.free = pyo.Var(bounds=(0, 3))
    model.long = pyo.Var(["y" * 300, "y" * 301], bounds=(0, 0))
    model.objective = pyo.Objective(
        expr=3 + sum(model.x.values()) + model.e1 + model.free + sum(model.long.values()),
        sense=pyo.maximize,
    )
    model.limit = pyo.Constraint(expr=model.x["a b"] + model.x["ä/1"] + model.free <= 3)
    return model


@pytest.mark.parametrize("ending", ["lp", "mps"])
def test_awkward_names_become_safe_and_stay_apart(ending: str, tmp_path: Path) -> None:
    model = awkward()
    slotwise.write_model(None, model, tmp_path / f"m.{ending}")
    found, names = optimum(tmp_path / f"m.{ending}")
    assert found == 9.0
    assert len(set(names)) == 9
    assert {"x(a_b)", "x(a_b)_2", "x_e1", "x_free"} <= set(names)
    assert max(map(len, names)) <= 255
    assert model.x["a b"].name == "x[a b]"
    text = (tmp_path / f"m.{ending}").read_text("ascii")
    named = [line for line in text.splitlines() if line.startswith(("\\ ", "NAME "))]
    assert named == [f"{named[0].split()[0]} _a_____b_nc_"]


def test_a_function_of_ones_own_builds_a_model(tmp_path: Path) -> None:
    def longest_task(instance: slotwise.Instance) -> pyo.ConcreteModel:
        model = pyo.ConcreteModel()
        model.makespan = pyo.Var()
        model.objective = pyo.Objective(expr=model.makespan)
        model.task = pyo.Constraint(expr=model.makespan >= float(instance.map_processing.max()))
        return model

    slotwise.write_model(PLAIN, longest_task, tmp_path / "m.lp")
    assert optimum(tmp_path / "m.lp")[0] == 4.0


def test_parameters_reach_the_formulation() -> None:
    model = slotwise.build(PLAIN, "job-order", horizon=50.0)
    assert model.makespan.ub == pytest.approx(50.0)


def test_a_compressed_file_is_the_same_file(tmp_path: Path) -> None:
    slotwise.write_model(PLAIN, "sequence", tmp_path / "m.lp")
    slotwise.write_model(PLAIN, "sequence", tmp_path / "m.lp.gz")
    plain = (tmp_path / "m.lp").read_bytes()
    assert gzip.decompress((tmp_path / "m.lp.gz").read_bytes()) == plain


@pytest.mark.parametrize(
    ("model", "problem", "file", "message"),
    [
        ("job-oder", PLAIN, "m.lp", "did you mean job-order"),
        (
            "job-order",
            DATACENTER,
            "m.lp",
            "build of job-order: instance: needs an Instance, got",
        ),
        ("job-order", "x.json", "m.lp", "got the string 'x.json': read it first with slotwise.re"),
        ("job-order", PLAIN, "m.txt", r"m.txt: a model needs a name ending in .lp or .mps"),
        ("job-order", None, "m.lp", "needs an instance"),
        ("heterogeneous", PLAIN, "m.lp", "which the heterogeneous model cannot express"),
    ],
)
def test_what_cannot_be_written_is_refused(
    model: str, problem: Any, file: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(slotwise.InputError, match=message):
        slotwise.write_model(problem, model, tmp_path / file)
    assert list(tmp_path.iterdir()) == []


def test_explain_writes_models(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    slotwise.write(PLAIN, tmp_path / "a.json")
    for file in ("m.lp", "m.mps", "m.mps.gz"):
        words = ["explain", "job-order", str(tmp_path / "a.json"), "-o", str(tmp_path / file)]
        assert run(words) == 0
        assert "job-order model" in capfd.readouterr().out
        by_name = tmp_path / f"again-{file}"
        slotwise.write_model(PLAIN, "job-order", by_name)
        assert (tmp_path / file).read_bytes() == by_name.read_bytes()
    assert run(["explain", "job-order", "-o", str(tmp_path / "no.lp")]) == 2
    assert "no.lp: a model needs an INSTANCE" in capfd.readouterr().err
    assert not (tmp_path / "no.lp").exists()
