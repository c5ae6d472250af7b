"""`explain`: the mathematics agree with the models, and the numbers with a worked example."""

import random
import re
from dataclasses import replace
from itertools import dropwhile
from pathlib import Path
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest
from explained_models import MODELS, suited
from random_instances import tiny
from trees import figure_4

from slotwise.core.errors import InputError
from slotwise.formulations import FORMULATIONS
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.instance import Instance, Job, SpeedFactors
from slotwise.reports.explain import explain

DOCS = Path(__file__).parents[2] / "docs"


def components(model: pyo.ConcreteModel, kind: type) -> set[str]:
    return {component.name for component in model.component_objects(kind)}


def test_every_registered_formulation_can_be_explained() -> None:
    assert {entry.name for entry in FORMULATIONS if entry.takes == "mapreduce"} == set(MODELS)
    for entry in FORMULATIONS:
        assert explain(entry.name).name == entry.name


@pytest.mark.parametrize("name", MODELS)
def test_statement_and_model_have_the_same_components(name: str, toy: Instance) -> None:
    model, explanation = MODELS[name].build(suited(name, toy)), explain(name)
    stated = [c.name for s in explanation.statements for c in s.components]
    assert len(stated) == len(set(stated))
    assert set(stated) == components(model, pyo.Constraint)
    variables = {c.name: s for s in explanation.variables for c in s.components}
    assert set(variables) == components(model, pyo.Var)
    for component, symbol in variables.items():
        every = list(getattr(model, component).values())
        assert {v.is_binary() for v in every} == {symbol.domain == "binary"}
    named = {c.name for s in explanation.abbreviations for c in s.components}
    assert named == components(model, pyo.Expression)


@pytest.mark.parametrize("name", MODELS)
def test_components_carry_the_number_of_their_equation(name: str) -> None:
    for statement in explain(name).statements:
        for component in statement.components:
            number = component.name.split("_")[0].removeprefix("eq")
            assert number == statement.label.removesuffix("*")


@pytest.mark.parametrize("name", FORMULATIONS.names)
def test_docs_show_every_row(name: str) -> None:
    """A page has all rows of a model but the cuts, which stand beside their proofs."""
    pages = [page.read_text(encoding="utf-8") for page in DOCS.glob("*/*.md")]
    (text,) = (page for page in pages if f"```{{statement}} {name}\n" in page)
    statements = explain(name).statements
    cuts = {row.label for row in dropwhile(lambda row: "Cut (" not in row.words, statements)}
    shown = re.findall(rf"^```{{rows}} {name} (.*)$", text, re.MULTILINE)
    assert cuts <= set(" ".join(shown).split())


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", range(12))
def test_sizes_count_the_model(name: str, seed: int) -> None:
    instance = suited(name, tiny(seed))
    model = MODELS[name].build(instance)
    size = explain(instance, name).size
    assert size is not None
    variables = list(model.component_data_objects(pyo.Var))
    assert size.binary == sum(v.is_binary() for v in variables)
    assert size.integer == sum(v.is_integer() and not v.is_binary() for v in variables)
    assert size.binary + size.integer + size.continuous == len(variables)
    for component, rows in size.components.items():
        assert rows.rows == len(getattr(model, component))
        assert bool(rows.example) == bool(rows.rows)
    assert size.rows == sum(1 for _ in model.component_data_objects(pyo.Constraint))


def test_worked_rows_of_the_toy_are_those_worked_by_hand(toy: Instance) -> None:
    size = explain(toy, "job-order").size
    assert size is not None
    rows = {name: part.example.partition(": ")[2] for name, part in size.components.items()}
    # Task a.0 has its 200 MB on n0: 2 s there, 4 s from n1 in the rack, and 10 s of processing.
    # Each of its two reduce tasks reads half of 2 x 200 MB: at most 200 MB at 50 MB/s = 4 s.
    assert rows["J1_map_task_on_one_slot"] == "on_map[a.0,n0.0] + on_map[a.0,n1.0] = 1"
    assert rows["J7_read"] == (
        "read[a.0,n0.0] ≥ on_map[a.0,n0.0] + 2·on_map[a.0,n1.0] + on_map[a.1,n0.0] "
        "+ 2·on_map[a.1,n1.0] + 4·on_reduce[a.0,n0.0] − 4"
    )
    assert rows["J8_local_read"] == "read[a.0,n0.0] ≥ 2·on_reduce[a.0,n0.0]"
    assert rows["J9_map_work_before"] == (
        "map_work_before[a,b,n0.0] ≥ 12·on_map[a.0,n0.0] + 14·on_map[a.1,n0.0] "
        "+ 26·before[a,b] − 26"
    )
    assert rows["J10_map_completion"] == (
        "map_completion[a] ≥ 12·on_map[a.0,n0.0] + 14·on_map[a.1,n0.0] + map_work_before[b,a,n0.0]"
    )
    # Before b means after a: 1 − before[a,b], so the constants meet on the other side.
    assert rows["J13_map_area"] == (
        "map_work_before[a,b,n0.0] + map_work_before[a,b,n1.0] ≥ 24·before[a,b]"
    )
    assert rows["J13_reduce_area"] == (
        "44·before[a,b] + reduce_work_after[a,b,n0.0] + reduce_work_after[a,b,n1.0] ≥ 44"
    )
    # After the map phase of a its first reduce task processes for 20 s and reads.
    assert rows["J17_map_task"] == "map_completion[a] ≥ 12·on_map[a.0,n0.0] + 14·on_map[a.0,n1.0]"
    assert rows["J17_reduce_task"] == (
        "makespan ≥ 20·on_reduce[a.0,n0.0] + read[a.0,n0.0] + 20·on_reduce[a.0,n1.0] + "
        "read[a.0,n1.0] + map_completion[a]"
    )
    assert rows["J18_head"] == "map_completion[a] ≥ 12"
    assert rows["J18_tail"] == "makespan ≥ map_completion[a] + 22"
    # Maps of 12, 12 and 7 s on two slots take 19 s if b comes before a, else a's alone take 12 s;
    # reduces of 22, 22 and 9 s take 31 s if a comes before b, else a's alone take 22 s.
    assert rows["J19_map_set"] == "7·before[a,b] + map_completion[a] ≥ 19"
    assert rows["J19_reduce_set"] == "makespan ≥ map_completion[a] + 9·before[a,b] + 22"
    # The horizon is all work at its slowest: maps 14 + 14 + 8, reduces 2 x (20 + 4) + 8 + 2.
    assert rows["J16_map_knapsack"] == (
        "12·on_map[a.0,n0.0] + 14·on_map[a.1,n0.0] + 7·on_map[b.0,n0.0] ≤ 85"
    )


def test_worked_rows_of_the_printed_program(toy: Instance) -> None:
    size = explain(toy, "sequence").size
    assert size is not None
    assert size.components["eq2_map_completion"].example == (
        "eq2_map_completion[a.0]: map_completion[a.0] ≥ map_setup[a.0] + 10"
    )
    assert size.components["eq8_reduce_one_first"].example == (
        "eq8_reduce_one_first[n0.0]: reduce_follows[n0.0,head,a.0] + reduce_follows[n0.0,head,a.1]"
        " + reduce_follows[n0.0,head,b.0] + reduce_follows[n0.0,head,tail] = 1"
    )
    # Big-M is 94 s: c_a1 − c_a0 ≥ s_a1 + 10 + 94 (u on n0 + u on n1 − 1).
    assert size.components["eq5_map_precedence"].example == (
        "eq5_map_precedence[a.0,a.1]: map_completion[a.1] ≥ map_setup[a.1] "
        "+ 94·map_follows[n0.0,a.0,a.1] + 94·map_follows[n1.0,a.0,a.1] + map_completion[a.0] − 84"
    )


def test_worked_rows_of_a_stage_of_fair_shares() -> None:
    size = explain(figure_4(), "fair-share").size
    assert size is not None
    assert (size.continuous, size.rows) == (6 + 4, 6 + 3 + 6 + 2)
    examples = {name: rows.example for name, rows in size.components.items()}
    # n2 has two leaves that need only CPU and one that needs only memory: M is 2.
    assert examples == {
        "F1_leaf_level": "F1_leaf_level[n1/n11]: share[n1/n11] ≥ level[n1]",
        "F2_group_level": "F2_group_level[n1]: level[n1] = level[root]",
        "F3_floor": "F3_floor[n1/n11]: share[n1/n11] ≥ 0",
        "F4_capacity": "F4_capacity[c]: share[n1/n11] + share[n2/n21] + share[n2/n22] + "
        "share[n3/n31] ≤ 1",
    }


def test_worked_rows_of_the_models_for_slots_of_different_speed() -> None:
    """Job a: three maps of 4 s, of 2 s on slot n0; two reduces of 6 s, of 3 s on slot n1."""
    cluster = Cluster.uniform(2, map_slots=1, reduce_slots=1)
    jobs = [Job("a", [4.0, 4.0, 4.0], [6.0, 6.0]), Job("b", [3.0, 3.0], [4.0])]
    factors = SpeedFactors(
        map=np.array([[0.5, 1.0], [1.0, 1.0]]), reduce=np.array([[1.0, 0.5], [0.5, 1.0]])
    )
    instance = replace(Instance.from_jobs("toy", cluster, jobs), speed_factors=factors)
    size = explain(instance, "heterogeneous").size
    assert size is not None
    assert str(size).startswith("28 variables (1 binary, 8 integer, 19 continuous), ")
    rows = {name: part.example.partition(": ")[2] for name, part in size.components.items()}
    assert rows["H1_map_tasks_placed"] == "map_count[a.0,n0.0] + map_count[a.0,n1.0] = 3"
    assert rows["H5_map_all_before"] == (
        "map_count_before[a.0,b,n0.0] + map_count_before[a.0,b,n1.0] ≥ 3·before[a,b]"
    )
    assert rows["H9_map_completion"] == (
        "map_completion[a] ≥ 2·map_count[a.0,n0.0] + 3·map_count_before[b.0,a,n0.0]"
    )
    # Heads: a's maps 2, 2 | 4 end at 4 s, b's at 3 s; a first job b spares the slot 1 s of 4.
    assert rows["H12_reduce_slot"] == (
        "first_job[b,n0.0] + makespan ≥ 6·reduce_count[a.0,n0.0] + 2·reduce_count[b.0,n0.0] + 4"
    )
    assert rows["H13_tail"] == "makespan ≥ map_completion[a] + 6"
    size = explain(instance, "unrelated-machines").size
    assert size is not None
    rows = {name: part.example.partition(": ")[2] for name, part in size.components.items()}
    assert rows["U2_reduce_slot"] == (
        "first_job[b,n0.0] + makespan ≥ 12·reduce_share[a,n0.0] + 2·reduce_share[b,n0.0] + "
        "reduce_setup[n0.0] + 4"
    )
    assert rows["U4_first_job_is_there"] == "first_job[a,n0.0] ≤ 2·reduce_share[a,n0.0]"
    assert rows["U5_one_job"] == "makespan ≥ 10"


@pytest.mark.parametrize("name", MODELS)
def test_written_rows_mean_what_the_model_means(name: str) -> None:
    """Rows short enough to be whole hold at a random point exactly if the model's row does."""
    instance = suited(name, tiny(7))
    model = MODELS[name].build(instance)
    explanation = explain(instance, name)
    assert explanation.size is not None
    variables = named(explanation.variables, model, instance)
    rows = named(explanation.statements, model, instance)
    written = [one.example for one in explanation.size.components.values() if one.example]
    whole = [example.split(": ", 1) for example in written if "…" not in example]
    pick = random.Random(3)
    for _ in range(20):
        for variable in variables.values():
            variable.set_value(pick.choice([0.0, 1.0, 7.5, 90.0]), skip_validation=True)
        for label, text in whole:
            row = rows[label]
            slack = [bound for bound in (row.lslack(), row.uslack()) if abs(bound) < 1e15]
            assert holds(text, variables) == (min(slack) >= -1e-4), (label, text)
    assert len(whole) > 5


def named(parts: Any, model: pyo.ConcreteModel, instance: Instance) -> dict[str, Any]:
    """Variables or rows of a model by the names that the instance gives them."""

    def within(names: tuple[str, ...], counts: Any) -> list[str]:
        pairs = zip(names, counts.tolist(), strict=True)
        return [f"{name}.{k}" for name, count in pairs for k in range(count)]

    cluster = instance.cluster
    names = {
        "job": list(instance.job_names),
        "map task": [*within(instance.job_names, instance.maps_of), "tail", "head"],
        "reduce task": [*within(instance.job_names, instance.reduces_of), "tail", "head"],
        "map slot": within(cluster.node_names, cluster.map_slots),
        "reduce slot": within(cluster.node_names, cluster.reduce_slots),
        "row": [str(k) for k in range(1000)],
    }
    found = {}
    for component in (component for part in parts for component in part.components):
        for index, data in getattr(model, component.name).items():
            numbers = index if isinstance(index, tuple) else (index,)
            words = [names[kind][n] for kind, n in zip(component.index, numbers, strict=False)]
            found[f"{component.name}[{','.join(words)}]".removesuffix("[]")] = data
    return found


def holds(written: str, variables: dict[str, Any]) -> bool:
    def value(side: str) -> float:
        total, sign = 0.0, 1.0
        for term in side.split():
            factor, _, name = term.rpartition("·")
            if term in "+−":
                sign = 1.0 if term == "+" else -1.0
            elif name in variables:
                total += sign * float(factor or 1) * variables[name].value
            else:
                total += sign * float(name)
        return total

    left, relation, right = re.split(r" ([≤≥=]) ", written)
    difference = value(left) - value(right)
    # Six digits are printed.
    return (relation == "≥" or difference <= 1e-4) and (relation == "≤" or difference >= -1e-4)


def test_a_row_of_one_variable_is_passed_over(toy: Instance) -> None:
    size = explain(toy, "spread-bound").size
    assert size is not None
    # Row 0 says only that a slot can be busy for no longer than the first interval.
    assert size.components["P5_reduce_slots"].example.startswith("P5_reduce_slots[1]: ")


def test_a_long_row_is_cut_but_counted(toy: Instance) -> None:
    size = explain(toy, "sequence").size
    assert size is not None
    # Two map tasks and one reduce task, on 2, 2 and 1 slots, each with one of 3 successors: of 15
    # terms 5 are shown.
    assert "… (10 more terms) …" in size.components["eq4_reduce_setup"].example
    # On each of 2 slots a.0 has one of 3 successors: 6 terms need no cut.
    assert "… (" not in size.components["eq7_map_one_successor"].example


def test_an_instance_too_large_to_write_out_is_refused_at_once() -> None:
    cluster = Cluster.uniform(400)
    jobs = [Job(f"j{k}", [10.0] * 50, [10.0] * 5) for k in range(50)]
    large = Instance.from_jobs("large", cluster, jobs)
    # The linear program over intervals has rows for jobs, not for tasks, and is never too large.
    for name in MODELS.keys() - {"spread-bound"}:
        with pytest.raises(InputError, match=rf"'large': its {name} model .* too many"):
            explain(large, name)


def test_unknown_model_names_those_there_are() -> None:
    with pytest.raises(InputError, match=r"unknown model 'jobs': choose from job-order, sequence"):
        explain("jobs")
