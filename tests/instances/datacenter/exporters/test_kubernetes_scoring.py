"""Prices as weights of kube-scheduler's NodeResourcesFit."""

from dataclasses import replace

import numpy as np
import pytest
import yaml

from slotwise import export
from slotwise.core.errors import InputError
from slotwise.instances.datacenter.datacenter import Configuration, Datacenter, JobClass
from slotwise.instances.datacenter.exporters.kubernetes_scoring import resource_weights
from slotwise.instances.datacenter.guidance import ClassPrices, Guidance, Prices
from slotwise.instances.hierarchy.hierarchy import Hierarchy


@pytest.fixture
def plan() -> Guidance:
    """Of the limit 60 % are cores of big, 30 % cores and 10 % GPUs of small; disks are free."""
    resources = ["cores", "nvidia.com/gpu", "disk"]
    data = Datacenter.from_classes(
        "cell",
        resources,
        [Configuration(name, 1, dict.fromkeys(resources, 4.0)) for name in ("big", "small")],
        [JobClass("web", 1.0, 1.0, dict.fromkeys(resources, 1.0))],
    )
    return Guidance(
        data, 8.0, 8.0, np.array([0, 1]), np.array([1, 1]), np.array([[4], [4]]),
        prices=Prices(
            resource=np.array([[0.6, 0.0, 0.0], [0.3, 0.1, 0.0]]),
            work=np.array([1.0]), machine=np.ones(2), machine_bound=np.ones(2),
        ),
    )  # fmt: skip


def test_weights_are_what_all_of_a_resource_is_worth(plan: Guidance) -> None:
    text, notes = export(plan, "kubernetes")
    # Cores are 0.9 of the limit and GPUs 0.1: 100 and 100 / 9.
    assert yaml.safe_load(text) == {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [
            {
                "schedulerName": "default-scheduler",
                "pluginConfig": [
                    {
                        "name": "NodeResourcesFit",
                        "args": {
                            "scoringStrategy": {
                                "type": "MostAllocated",
                                "resources": [
                                    {"name": "cpu", "weight": 100},
                                    {"name": "nvidia.com/gpu", "weight": 11},
                                    {"name": "memory", "weight": 1},
                                ],
                            }
                        },
                    }
                ],
            }
        ],
    }
    comments = [line for line in text.splitlines() if line.startswith("#")]
    assert [f"# {note}" for note in notes] == comments[1 : 1 + len(notes)]
    assert "#   small: cores 100, nvidia.com/gpu 33, disk 0" in comments
    assert "worth nothing at these prices, so left out: disk" in notes
    assert not any("replace" in note or "affinity" in note for note in notes)
    assert notes[0].startswith("not measured here: with --rehearse it is")


def test_cpu_and_memory_are_never_left_out(plan: Guidance) -> None:
    # All of the limit is GPUs: alone they would guide no pod that asks for none.
    prices = plan.prices
    assert prices is not None
    only = replace(prices, resource=np.array([[0.0, 0.6, 0.0], [0.0, 0.4, 0.0]]))
    text, _ = export(replace(plan, prices=only), "kubernetes", measured="measured: so and so")
    args = yaml.safe_load(text)["profiles"][0]["pluginConfig"][0]["args"]
    assert args["scoringStrategy"]["resources"] == [
        {"name": "cpu", "weight": 1},
        {"name": "nvidia.com/gpu", "weight": 100},
        {"name": "memory", "weight": 1},
    ]
    assert text.splitlines()[1] == "# measured: so and so"


def test_names_that_kubernetes_does_not_have_are_noted(plan: Guidance) -> None:
    data = replace(plan.datacenter, resources=("Mem", "gpu", "disk"))
    foreign = replace(plan.datacenter, resources=("cpu", "fpga", "disk"))
    _, others = export(replace(plan, datacenter=foreign), "kubernetes")
    assert any("replace fpga by the extended resource" in note for note in others)
    prices = ClassPrices(np.ones(1), np.array([[True, False]]))
    text, notes = export(replace(plan, datacenter=data, class_prices=prices), "kubernetes")
    assert "name: memory" in text
    assert "name: nvidia.com/gpu" in text
    assert any("gpu is written as nvidia.com/gpu: change it" in note for note in notes)
    assert any("node affinity" in note for note in notes)


@pytest.mark.parametrize(
    ("worth", "weights"),
    [([0.5, 0.5], [100, 100]), ([1.0, 1e-6], [100, 1]), ([0.0, 2.0], [0, 100]), ([0, 0], [0, 0])],
)
def test_weights_are_whole_from_1_to_100(worth: list[float], weights: list[int]) -> None:
    assert resource_weights(np.array(worth)).tolist() == weights


def test_other_things_are_refused(plan: Guidance) -> None:
    with pytest.raises(InputError, match="this plan has no prices of resources"):
        export(replace(plan, prices=None), "kubernetes")
    with pytest.raises(InputError, match="to slurm: hierarchy: needs a Hierarchy, got a Guidance"):
        export(plan, "slurm")
    tree = Hierarchy.__new__(Hierarchy)
    with pytest.raises(InputError, match="to kubernetes: hierarchy: needs a Guidance, got a Hier"):
        export(tree, "kubernetes")
