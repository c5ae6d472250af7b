"""A right model: the job-order model without its valid inequalities."""

import json

import pyomo.environ as pyo

import slotwise
from slotwise.formulations.mapreduce.job_order.model import build as job_order


def build(instance):
    with open("instance.json", "w") as stream:
        json.dump(instance, stream)
    model = job_order(slotwise.read("instance.json"), cuts=())
    change(model)
    return model


def change(model):
    pass


def half_of_big_m(model):
    data = model.data
    model.J11_reduce_work_after.deactivate()

    def work_after(model, j, i, slot):
        most = min(data.most_reduce_work[j, slot], model.horizon - data.head[j]) / 2
        return model.reduce_work_after[j, i, slot] >= model.reduce_work[j, slot] - most * (
            1 - model.precedes[i, j]
        )

    model.halved = pyo.Constraint(data.pairs, data.reduce_slots, rule=work_after)
