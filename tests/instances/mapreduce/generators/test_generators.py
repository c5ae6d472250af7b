"""What all generators of batches have in common."""

import numpy as np
import pytest

from slotwise.core.errors import InputError
from slotwise.instances.mapreduce.generators import hmhs, ljr, smso, two_stage
from slotwise.instances.mapreduce.instance_file import instance_document

GIVEN = [
    (ljr.generate, {"block_scale": 1.19, "racks": "as published"}),
    (hmhs.generate, {"workload": "hybrid", "cluster": 2, "maps": (1, 4), "map_machines": 5}),
    (smso.generate, {"gamma": 0.2, "maps_range": (1, 4), "priority": 0.5, "encrypted": 0.9}),
    (smso.generate, {"gamma": 0.2, "outages": "slots"}),
    (two_stage.generate, {"map_machines": 2, "reduce_machines": 4, "times": (0, 9)}),
]


@pytest.mark.parametrize(("generate", "given"), GIVEN)
def test_a_seed_gives_one_instance_and_its_source_is_the_call(generate, given):
    first, second, third = (generate(5, seed=seed, **given) for seed in (3, 3, 4))
    assert instance_document(first) == instance_document(second)
    assert instance_document(first)["jobs"] != instance_document(third)["jobs"]
    call = first.source[first.source.index("generate(") :]
    again = eval(call, {"generate": generate})
    assert instance_document(again) == instance_document(first)


@pytest.mark.parametrize("module", [ljr, hmhs, smso])
def test_small_instances_stay_small(module):
    sizes = [module.small(seed=seed) for seed in range(100)]
    assert set(np.concatenate([instance.maps_of for instance in sizes])) == {1, 2, 3, 4}
    assert set(np.concatenate([instance.reduces_of for instance in sizes])) == {1, 2, 3}
    nodes = 6 if module is hmhs else 3
    assert all(instance.cluster.nodes == nodes and instance.jobs == 4 for instance in sizes)
    with pytest.raises(InputError, match="max_maps: needs a whole number of at least 1, got 0"):
        module.small(seed=0, max_maps=0)
    if module is ljr:
        assert sizes[0].replicas[:2].tolist() == [0, 1]
    if module is smso:  # to encrypt a block takes at least a tenth of the longest task
        assert all(instance.input_mb.min() / 50 >= 10 for instance in sizes)


@pytest.mark.parametrize(
    ("module", "parameters", "named"),
    [
        (ljr, {"jobs": 0}, "jobs"),
        (ljr, {"nodes": 0}, "nodes"),
        (ljr, {"racks": 0}, "cluster: need 1 <= racks"),
        (ljr, {"racks": "scattered"}, "racks"),
        (ljr, {"nodes": 2, "racks": "as published"}, "racks"),
        (ljr, {"map_slots": -1}, "node 'n0', map_slots"),
        (ljr, {"map_slots": 0, "racks": 1}, "cluster: 308 map tasks"),
        (ljr, {"maps_mean": 0}, "maps_mean"),
        (ljr, {"reduces_variance": -1}, "reduces_variance"),
        (ljr, {"maps_range": (3, 2)}, "maps_range"),
        (ljr, {"map_time_mean": 0}, "map_time_mean"),
        (ljr, {"slow_share": 1.5}, "slow_share"),
        (ljr, {"factor": (2, 1)}, "factor"),
        (ljr, {"block_mb": ()}, "block_mb"),
        (ljr, {"block_scale": float("nan")}, "block_scale"),
        (ljr, {"replicas": -1}, "replicas"),
        (ljr, {"rack_rate": 200}, "rates"),
        (ljr, {"output_ratios": ()}, "output_ratios"),
        (ljr, {"seed": -1}, "seed"),
        (hmhs, {"jobs": 0}, "jobs"),
        (hmhs, {"seed": -1}, "seed"),
        (hmhs, {"workload": "mixed"}, "workload"),
        (hmhs, {"map_machines": 0}, "map_machines"),
        (hmhs, {"reduce_machines": 0}, "reduce_machines"),
        (hmhs, {"cluster": 0}, "cluster"),
        (hmhs, {"cluster": 7}, "cluster"),
        (hmhs, {"slow_share": 1.5}, "slow_share"),
        (hmhs, {"long_share": -0.1}, "long_share"),
        (hmhs, {"long_share": 0.6, "large_share": 0.6}, "large_share"),
        (hmhs, {"maps": (3, 2)}, "maps"),
        (hmhs, {"large_reduces": (-1, 2)}, "large_reduces"),
        (hmhs, {"map_time": (0, 1)}, "map_time"),
        (hmhs, {"long_reduce_time": (2, 1)}, "long_reduce_time"),
        (hmhs, {"factor": (0, 1)}, "factor"),
        (hmhs, {"slow_factor": (1, float("inf"))}, "slow_factor"),
        (smso, {"jobs": 0}, "jobs"),
        (smso, {"nodes": 0}, "nodes"),
        (smso, {"seed": -1}, "seed"),
        (smso, {"map_slots": 0}, "map_slots"),
        (smso, {"reduce_slots": 0}, "reduce_slots"),
        (smso, {"gamma": -0.1}, "gamma"),
        (smso, {"outages": "racks"}, "outages"),
        (smso, {"priority": 1.1}, "priority"),
        (smso, {"encrypted": 2}, "encrypted"),
        (smso, {"processing": (3, 2)}, "processing"),
        (smso, {"maps_range": (3, 2)}, "maps_range"),
        (smso, {"maps_mean": 0}, "maps_mean"),
        (smso, {"reduces_variance": -1}, "reduces_variance"),
        (smso, {"block_mb": ()}, "block_mb"),
        (smso, {"output_ratios": ()}, "output_ratios"),
        (smso, {"encryption_rate": 0}, "security, encryption_rate"),
        (two_stage, {"jobs": 0}, "jobs"),
        (two_stage, {"map_machines": 0}, "map_machines"),
        (two_stage, {"reduce_machines": 0}, "reduce_machines"),
        (two_stage, {"seed": -1}, "seed"),
        (two_stage, {"times": (5, 4)}, "times"),
        (two_stage, {"times": (-1, 4)}, "times"),
    ],
)
def test_impossible_parameters_are_named(module, parameters, named):
    with pytest.raises(InputError, match=rf"^((generate|parameters): )?{named}\b"):
        module.generate(**{"jobs": 2, "seed": 0, **parameters})
