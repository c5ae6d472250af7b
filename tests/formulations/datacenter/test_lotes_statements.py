"""Statements of the LoTES programs agree with the models."""

import pyomo.environ as pyo
import pytest

from slotwise.core.errors import InputError
from slotwise.formulations.datacenter.allocation import model as allocation
from slotwise.formulations.datacenter.machine_assignment import model as machine_assignment
from slotwise.formulations.mathematics import as_mathml, as_text
from slotwise.instances.datacenter.generators.lotes import generate, google_2011
from slotwise.reports.explain import explain

MODELS = {"allocation": allocation, "machine-assignment": machine_assignment}


@pytest.mark.parametrize("name", MODELS)
def test_statement_and_model_have_the_same_components(name: str) -> None:
    model, explanation = MODELS[name].build(google_2011()), explain(name)
    stated = [c.name for s in explanation.statements for c in s.components]
    assert set(stated) == {c.name for c in model.component_objects(pyo.Constraint)}
    variables = {c.name for s in explanation.variables for c in s.components}
    assert variables == {c.name for c in model.component_objects(pyo.Var)}
    for statement in explanation.statements:
        for component in statement.components:
            assert component.name.split("_")[0].removeprefix("eq") == statement.label


@pytest.mark.parametrize("name", MODELS)
def test_every_formula_can_be_read(name: str) -> None:
    explanation = explain(name)
    symbols = (*explanation.sets, *explanation.parameters, *explanation.variables)
    for symbol in (*symbols, *explanation.abbreviations):
        assert as_text(symbol.formula)
        assert as_mathml(symbol.formula).startswith("<math>")
    for statement in explanation.statements:
        assert as_text(statement.formula)
        assert as_text(statement.forall)


def test_worked_rows_carry_the_datacenters_own_names() -> None:
    text = " ".join(explain(google_2011(), "allocation").text().split())
    # 6732 machines with half of all cores of the largest.
    assert "eq4_capacity[c1,cores]: 0.02·running[c1,k1] + 0.02·running[c1,k2]" in text
    assert "0.2·running[c1,k4] ≤ 3366" in text
    assert "A1_fits[c7,k4]: running[c7,k4] = 0" in text


def test_a_model_of_too_many_bins_is_not_written_out() -> None:
    with pytest.raises(InputError, match="too many to write out"):
        explain(generate(seed=1), "machine-assignment")
