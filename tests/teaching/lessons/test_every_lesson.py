"""What holds for the lessons of every model."""

import json
from pathlib import Path
from typing import Any

import pytest

import slotwise
from slotwise.formulations import FORMULATIONS
from slotwise.formulations.legend import names_in, standing_in, symbols_of
from slotwise.reports.explain import statement_of
from slotwise.teaching.lessons.family import FAMILIES, family


@pytest.mark.parametrize("model", FAMILIES)
def test_the_default_is_an_example_and_says_what_each_core_rule_is_for(model: str) -> None:
    about = family(model)
    lesson = slotwise.make_lesson(model)
    shipped = about.document(slotwise.read(f"example:{about.witness}"))
    assert lesson.instance == shipped
    cores = {rule.label for rule in lesson.rules if rule.role == "core"}
    assert lesson.witness is not None
    assert lesson.witness.keys() == cores == about.without.keys()
    rules = [name for rule in lesson.rules for name in rule.components]
    assert sorted(rules) == sorted(lesson.rows.rows), "a component has no switch, or two"
    assert set(about.roles) <= set(rules)


@pytest.mark.parametrize("model", FAMILIES)
def test_every_symbol_of_a_formula_has_a_meaning(model: str) -> None:
    statement = statement_of(FORMULATIONS.lookup(model))
    symbols = symbols_of(statement)
    known = {name for one in symbols for name in names_in(one.formula.split("=")[0])}
    for one in (one for one in statement.statements if one.components):
        names = {name for formula in (one.formula, one.forall) for name in names_in(formula)}
        alone = {(letter, *rest) for letter, *rest in names if rest == ["", 0]}
        assert names - known - alone == set(), one.label
        assert len(standing_in(symbols, one.formula, one.forall)) >= len(names & known) // 2


def test_a_formula_has_its_own_symbols() -> None:
    symbols = symbols_of(statement_of(FORMULATIONS.lookup("job-order")))
    found = standing_in(symbols, "a_{tk} + a_t \\le h_i + h(S) + A_{jk}", "t \\in T_m")
    assert [symbols[k].formula.split(" =")[0] for k in found] == [
        "a_{tk}", "a_t, b_v", "h_i, q_i", "h(S), q(S)", "A_{ik}", "T_m, T_r",
    ]  # fmt: skip


def enlarged(model: str, path: Path) -> Any:
    """The default problem of a model with one number of 1e9."""
    document = json.loads(json.dumps(slotwise.make_lesson(model).instance))
    if "jobs" in document:
        document["jobs"][0]["map_tasks"][0]["processing"] = 1e9
    elif "root" in document:
        document["root"]["children"][0]["weight"] = 1e9
    else:
        document["classes"][0]["mean_time"] = 1e9
    path.write_text(json.dumps(document))
    return slotwise.read(path)


@pytest.mark.parametrize("model", FAMILIES)
def test_numbers_too_far_apart_are_refused_with_the_largest_and_why(
    model: str, tmp_path: Path
) -> None:
    problem = enlarged(model, tmp_path / "far.json")
    with pytest.raises(
        slotwise.InputError, match=r"(at most 1000000 s|to (10000|1e\+07)).*rounding"
    ):
        slotwise.make_lesson(problem, model)
