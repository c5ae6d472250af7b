"""`explain`: the mathematics agree with the models, and the numbers with a worked example."""

import json
import random
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pyomo.environ as pyo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_instances import tiny
from trees import figure_4

from slotwise.formulations import FORMULATIONS
from slotwise.formulations.coefficients import Coefficients
from slotwise.formulations.heterogeneous import model as heterogeneous
from slotwise.formulations.job_order import model as job_order
from slotwise.formulations.mathematics import as_mathml, as_text
from slotwise.formulations.sequence import model as sequence
from slotwise.formulations.spread_bound import model as spread_bound
from slotwise.formulations.unrelated_machines import model as unrelated_machines
from slotwise.instances.errors import InputError
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask, SpeedFactors, job_instance
from slotwise.report.explain import WIDTH, Explanation, explain

MODELS = {
    "job-order": job_order,
    "sequence": sequence,
    "heterogeneous": heterogeneous,
    "unrelated-machines": unrelated_machines,
    "spread-bound": spread_bound,
}
DOCS = Path(__file__).parents[2] / "docs/formulations"


@pytest.fixture(scope="module")
def toy() -> Instance:
    """The worked example of docs/formulations/job-order.md."""
    cluster = Cluster.uniform(2, map_slots=1, reduce_slots=1)
    a = Job("a", [MapTask(10, 200, ["n0"]), MapTask(10, 200, ["n1"])], [20.0, 20.0], 1.0)
    b = Job("b", [MapTask(6, 100, ["n0"])], [8.0], 1.0)
    return job_instance("toy", cluster, [a, b])


def suited(name: str, instance: Instance) -> Instance:
    """The instance, without output if the model needs reads that no placement changes."""
    if name != "heterogeneous":
        return instance
    return replace(instance, output_ratio=np.zeros(instance.jobs))


def components(model: pyo.ConcreteModel, kind: type) -> set[str]:
    return {component.name for component in model.component_objects(kind)}


def formulas(explanation: Explanation) -> list[str]:
    symbols = (
        *explanation.sets,
        *explanation.parameters,
        *explanation.variables,
        *explanation.abbreviations,
    )
    statements = (explanation.objective, *explanation.statements)
    return [
        *(symbol.formula for symbol in symbols),
        *(statement.formula for statement in statements),
        *(statement.forall for statement in statements),
    ]


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


@pytest.mark.parametrize("name", MODELS)
def test_docs_state_the_same_mathematics(name: str) -> None:
    page = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    for statement in explain(name).statements:
        assert f"{statement.formula} \\tag{{{statement.label}}}" in page
        for component in statement.components:
            assert f"`{component.name}`" in page


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", range(12))
def test_sizes_count_the_model(name: str, seed: int) -> None:
    instance = suited(name, tiny(seed))
    model = MODELS[name].build(instance)
    size = explain(name, instance).size
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
    size = explain("job-order", toy).size
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
    size = explain("sequence", toy).size
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
    size = explain("fair-share", figure_4()).size
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
    instance = replace(job_instance("toy", cluster, jobs), speed_factors=factors)
    size = explain("heterogeneous", instance).size
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
    size = explain("unrelated-machines", instance).size
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
    explanation = explain(name, instance)
    assert explanation.size is not None
    names = {
        f"{component.name}[{','.join(row_names)}]": variable
        for component, row_names, variable in _named_variables(explanation, model, instance)
    }
    names["makespan"] = model.makespan
    pick = random.Random(3)
    compared = 0
    for _ in range(20):
        for variable in names.values():
            variable.set_value(pick.choice([0.0, 1.0, 7.5, 90.0]), skip_validation=True)
        for rows in explanation.size.components.values():
            if rows.example and "…" not in rows.example:
                label, written = rows.example.split(": ", 1)
                row = _row(model, rows.component, label, explanation, instance)
                slack = [bound for bound in (row.lslack(), row.uslack()) if abs(bound) < 1e15]
                holds = min(slack) >= -1e-4
                assert _holds(written, names) == holds, rows.example
                compared += 1
    assert compared > 100


def _names(instance: Instance) -> dict[str, list[str]]:
    def within(names: tuple[str, ...], counts: list[int]) -> list[str]:
        pairs = zip(names, counts, strict=True)
        return [f"{name}.{k}" for name, count in pairs for k in range(count)]

    cluster = instance.cluster
    return {
        "job": list(instance.job_names),
        "map task": [*within(instance.job_names, instance.maps_of.tolist()), "tail", "head"],
        "reduce task": [*within(instance.job_names, instance.reduces_of.tolist()), "tail", "head"],
        "map slot": within(cluster.node_names, cluster.map_slots.tolist()),
        "reduce slot": within(cluster.node_names, cluster.reduce_slots.tolist()),
        "row": [str(k) for k in range(1000)],
    }


def _indices(component, pyomo_component, instance):
    names = _names(instance)
    for index, data in pyomo_component.items():
        numbers = index if isinstance(index, tuple) else (index,)
        if component.index:
            yield [names[k][n] for k, n in zip(component.index, numbers, strict=True)], data


def _named_variables(explanation, model, instance):
    for symbol in explanation.variables:
        for component in symbol.components:
            for row_names, data in _indices(component, getattr(model, component.name), instance):
                yield component, row_names, data


def _row(model, name, label, explanation, instance):
    (component,) = (c for s in explanation.statements for c in s.components if c.name == name)
    if not component.index:
        return getattr(model, name)
    for row_names, data in _indices(component, getattr(model, name), instance):
        if label == f"{name}[{','.join(row_names)}]":
            return data
    raise AssertionError(label)


def _holds(written, names) -> bool:
    left, relation, right = re.split(r" ([≤≥=]) ", written)
    difference = _value(left, names) - _value(right, names)
    # Six digits are printed.
    tolerance = 1e-4
    return {
        "≤": difference <= tolerance,
        "≥": difference >= -tolerance,
        "=": abs(difference) <= tolerance,
    }[relation]


def _value(side, names) -> float:
    total, sign = 0.0, 1.0
    for term in side.split():
        if term in "+−":
            sign = 1.0 if term == "+" else -1.0
            continue
        factor, _, name = term.rpartition("·")
        if name in names:
            total += sign * float(factor or 1) * names[name].value
        else:
            total += sign * float(name)
    return total


def test_a_long_row_is_cut_but_counted(toy: Instance) -> None:
    size = explain("sequence", toy).size
    assert size is not None
    # Two map tasks and one reduce task, on 2, 2 and 1 slots, each with one of 3 successors: of 15
    # terms 5 are shown.
    assert "… (10 more terms) …" in size.components["eq4_reduce_setup"].example
    # On each of 2 slots a.0 has one of 3 successors: 6 terms need no cut.
    assert "… (" not in size.components["eq7_map_one_successor"].example


def test_an_instance_too_large_to_write_out_is_refused_at_once() -> None:
    cluster = Cluster.uniform(400)
    jobs = [Job(f"j{k}", [10.0] * 50, [10.0] * 5) for k in range(50)]
    large = job_instance("large", cluster, jobs)
    # The linear program over intervals has rows for jobs, not for tasks, and is never too large.
    for name in MODELS.keys() - {"spread-bound"}:
        with pytest.raises(InputError, match=rf"'large': its {name} model .* too many"):
            explain(name, large)


def test_unknown_model_names_those_there_are() -> None:
    with pytest.raises(InputError, match=r"unknown model 'jobs': choose from job-order, sequence"):
        explain("jobs")


def test_names_from_the_instance_are_kept_and_escaped(toy: Instance) -> None:
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    odd = job_instance("50% <odd>_#1", cluster, [Job("a-b_<i>", [1.0], [1.0]), Job("c", [2.0])])
    explanation = explain("job-order", odd)
    assert "on_map[a-b_<i>.0,n0.0]" in explanation.text()
    assert "on_map[a-b_&lt;i&gt;.0,n0.0]" in explanation.html()
    assert "<i>" not in explanation.html()
    assert r"50\% <odd>\_\#1" in explanation.latex()


@pytest.mark.parametrize("name", MODELS)
def test_text_fits_the_terminal_and_says_everything(name: str, toy: Instance) -> None:
    explanation = explain(name, suited(name, toy))
    text = explanation.text()
    assert max(map(len, text.splitlines())) <= WIDTH
    joined = " ".join(text.split())
    for statement in explanation.statements:
        assert f"({statement.label})" in joined
        assert as_text(statement.formula) in joined
        assert statement.words in joined


@pytest.mark.parametrize("name", MODELS)
def test_html_is_well_formed_and_loads_nothing(name: str, toy: Instance) -> None:
    page = explain(name, suited(name, toy)).html()
    assert not re.search(r"src=|href=|url\(|<script|@import", page)
    checker = _Balanced()
    checker.feed(page)
    assert checker.open == []
    assert page.count("<math") > len(explain(name).statements)


class _Balanced(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", MODELS)
def test_latex_has_every_equation_and_balanced_braces(name: str, toy: Instance) -> None:
    explanation = explain(name, suited(name, toy))
    source = explanation.latex()
    for environment in ("document", "align", "description"):
        opened = source.count(f"\\begin{{{environment}}}")
        assert opened == source.count(f"\\end{{{environment}}}") > 0
    plain = re.sub(r"\\[{}]", "", source)
    assert plain.count("{") == plain.count("}")
    assert source.count(r"\tag{") == len(explanation.statements) + 1
    # pdfLaTeX knows no other letters beyond ASCII than those with a command of their own.
    assert source.isascii()


def test_document_is_json_and_complete(toy: Instance) -> None:
    explanation = explain("job-order", toy)
    document = json.loads(json.dumps(explanation.document()))
    assert document["model"] == "job-order"
    assert [s["label"] for s in document["statements"]] == [s.label for s in explanation.statements]
    assert document["statements"][0]["formula"] == "∑_{k∈Qₘ} xₜₖ = 1"
    assert document["statements"][0]["components"] == ["J1_map_task_on_one_slot"]
    assert document["size"]["components"]["J1_map_task_on_one_slot"]["rows"] == 3
    assert explain("job-order").document()["size"] is None


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("x_{tk}", "xₜₖ"),
        ("u^k_{vv'}", "uᵏᵥᵥ′"),
        ("A^{\\min}_i", "Aᵐⁱⁿᵢ"),
        ("x_{s,k-1}", "xₛ,ₖ₋₁"),
        ("y_{w}", "y_{w}"),
        ("a \\le b - \\min_{i} c_i", "a ≤ b − minᵢ cᵢ"),
        ("\\{0, 1\\}", "{0, 1}"),
        ("\\text{a if b}", "a if b"),
    ],
)
def test_formula_as_text(formula: str, text: str) -> None:
    assert as_text(formula) == text


@pytest.mark.parametrize("formula", ["a_", "\\frac{a}{b}", "a}", "{a", "x ? y"])
def test_a_formula_outside_the_small_language_is_refused(formula: str) -> None:
    with pytest.raises(ValueError, match="formula"):
        as_text(formula)


@pytest.mark.parametrize("name", MODELS)
def test_formulas_are_latex_that_a_typesetter_accepts(name: str) -> None:
    from matplotlib.mathtext import MathTextParser

    parser = MathTextParser("path")
    for formula in filter(None, formulas(explain(name))):
        # The same commands under the only names that matplotlib has for them.
        formula = re.sub(r"\\(le|ge|ne)\b", r"\\\1q", formula)
        parser.parse(f"${formula.replace('mathcal M', 'mathcal{M}')}$")


letters = st.sampled_from(["a", "x'", "\\alpha", "12"])
scripted = st.builds("{}_{{{}}}^{{{}}}".format, letters, letters, letters)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(letters, scripted), min_size=1).map(" ".join))
def test_every_letter_of_a_formula_reaches_both_readers(formula: str) -> None:
    count = len(re.findall(r"[ax]'?|\\alpha|12", formula))
    assert len(re.findall(r"<m[in]>", as_mathml(formula))) == count
    text = as_text(formula)
    assert len(re.findall("[aₐᵃ]|[xₓˣ]|α|12|₁₂|¹²", text)) == count


def test_parameters_are_the_models_own(toy: Instance) -> None:
    """The worked example's coefficients, on which the rows above and the docs rest."""
    data = Coefficients(toy)
    assert data.head.tolist() == [12, 7]
    assert data.tail.tolist() == [22, 9]
    assert data.map_area.tolist() == [24, 7]
    assert data.reduce_area.tolist() == [44, 9]
