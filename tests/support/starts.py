"""What a solver makes of a start, which has values of some of a model's variables."""

import pyomo.environ as pyo

from slotwise.solvers.backends import highs


def completed(model: pyo.ConcreteModel) -> float | None:
    """The least objective with the values that variables have, None if no others fit them."""
    for variable in model.component_data_objects(pyo.Var):
        if variable.value is not None:
            variable.fix()
        else:
            assert variable.is_continuous(), f"{variable.name} has no value"
    return highs.solve(model, threads=1).incumbent
