"""Models that are explained, what suits them, and the formulas of an explanation."""

from dataclasses import replace

import numpy as np

from slotwise.formulations.mapreduce.heterogeneous import model as heterogeneous
from slotwise.formulations.mapreduce.job_order import model as job_order
from slotwise.formulations.mapreduce.sequence import model as sequence
from slotwise.formulations.mapreduce.spread_bound import model as spread_bound
from slotwise.formulations.mapreduce.unrelated_machines import model as unrelated_machines
from slotwise.instances.mapreduce.instance import Instance
from slotwise.reports.explain import Explanation

MODELS = {
    "job-order": job_order,
    "sequence": sequence,
    "heterogeneous": heterogeneous,
    "unrelated-machines": unrelated_machines,
    "spread-bound": spread_bound,
}


def suited(name: str, instance: Instance) -> Instance:
    """The instance, without output if the model needs reads that no placement changes."""
    if name != "heterogeneous":
        return instance
    return replace(instance, output_ratio=np.zeros(instance.jobs))


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
