"""Pods and nodes of Kubernetes as jobs and machines."""

import pytest

from slotwise.core.errors import InputError
from slotwise.instances.datacenter.kubernetes.nodes import Configurations, Node
from slotwise.instances.datacenter.kubernetes.pods import Pod
from slotwise.instances.datacenter.kubernetes.resources import KubernetesResources


def container(cpu, memory="0", **more):
    return {"resources": {"requests": {"cpu": cpu, "memory": memory}}, **more}


def pod(spec, **more):
    return Pod.of({"metadata": {"name": "p", "namespace": "n"}, "spec": spec, **more})


def cpu(**spec):
    return pod(spec).requests.get("cpu", 0.0)


def test_a_pod_requests_the_sum_of_its_containers():
    made = pod({"containers": [container("500m", "1Gi"), container(2, "512Mi")]})
    assert made.requests == {"cpu": 2.5, "memory": 1.5 * 1024**3}
    assert (made.name, made.node, made.labels, made.waits) == ("n/p", None, {}, False)


def test_init_containers_run_one_after_the_other_before():
    assert cpu(containers=[container("1")], initContainers=[container("3"), container("2")]) == 3
    assert cpu(containers=[container("4")], initContainers=[container("3"), container("2")]) == 4


def test_sidecars_run_beside_what_comes_after_them():
    # KEP-753: the second init container runs beside the first sidecar alone: 2 + 1; the containers
    # beside both: 1 + 1 + 5 = 7.
    always = {"restartPolicy": "Always"}
    before = [container("1", **always), container("2"), container("5", **always)]
    assert cpu(containers=[container("1")], initContainers=before) == 7
    # An init container before any sidecar has the machine for itself: 8 is more than 7.
    assert cpu(containers=[container("1")], initContainers=[container("8"), *before]) == 8
    # After both sidecars it needs 6 beside them: 12.
    assert cpu(containers=[container("1")], initContainers=[*before, container("6")]) == 12


def test_what_a_pod_itself_requests_stands_instead_and_overhead_comes_on_top():
    made = pod(
        {
            "containers": [
                {"resources": {"requests": {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": "2"}}}
            ],
            "resources": {"requests": {"cpu": "3", "nvidia.com/gpu": "9"}},
            "overhead": {"cpu": "250m"},
        }
    )
    assert made.requests == {"cpu": 3.25, "memory": 1024.0**3, "nvidia.com/gpu": 2.0}


def test_a_pod_is_bound_over_or_waits():
    spec = {"nodeName": "a"}
    assert pod(spec, status={"phase": "Pending"}).node == "a"
    assert pod(spec, status={"phase": "Running"}).node == "a"
    for phase in ("Succeeded", "Failed"):
        assert pod(spec, status={"phase": phase}).node is None
    unschedulable = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    assert pod({}, status={"conditions": [unschedulable]}).waits
    gated = {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}
    assert not pod({}, status={"conditions": [gated]}).waits
    assert not pod(spec, status={"conditions": [unschedulable]}).waits


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (None, "pod: need an object"),
        ({}, "pod, metadata: need a name"),
        ({"metadata": {"name": 3}}, "pod, metadata, name: need a string"),
        ({"metadata": {"name": "p"}, "spec": []}, "pod p, spec: need a mapping"),
        ({"metadata": {"name": "p"}, "spec": {"containers": 1}}, "containers: need a list"),
        (
            {"metadata": {"name": "p"}, "spec": {"containers": [container("-1")]}},
            "pod p, requests, cpu: need a quantity",
        ),
    ],
)
def test_what_is_no_pod_is_said(document, message):
    with pytest.raises(InputError, match=message):
        Pod.of(document)


def node(cpus, gib, gpus=0, labels=None, ready="True", **spec):
    have = {"cpu": str(cpus), "memory": f"{gib}Gi", "nvidia.com/gpu": gpus}
    return Node.of(
        {
            "metadata": {"name": "a", "labels": labels or {}},
            "spec": spec,
            "status": {
                "capacity": have,
                "allocatable": {"cpu": f"{cpus * 1000 - 100}m"},
                "conditions": [{"type": "Ready", "status": ready}],
            },
        }
    )


RESOURCES = KubernetesResources.of(["cpu", "memory", "gpu"])
CONFIGURATIONS = Configurations(
    {
        "cpu": {"cpu": 64, "memory": 256, "gpu": 0},
        "T4": {"cpu": 32, "memory": 128, "gpu": 4},
        "P100": {"cpu": 32, "memory": 128, "gpu": 4},
        "V100": {"cpu": 96, "memory": 512, "gpu": 8},
    },
    RESOURCES,
)


def test_a_node_has_what_is_allocatable_and_is_open_when_ready_and_not_cordoned():
    made = node(4, 16)
    assert made.capacity == {"cpu": 4.0, "memory": 16 * 1024.0**3, "nvidia.com/gpu": 0.0}
    assert made.allocatable["cpu"] == pytest.approx(3.9)
    assert RESOURCES.amounts(made.allocatable) == {"cpu": 3.9, "memory": 16.0, "gpu": 0.0}
    assert made.is_open
    assert not node(4, 16, ready="Unknown").is_open
    assert not node(4, 16, unschedulable=True).is_open


def test_the_configuration_is_that_of_a_label_or_the_nearest():
    assert CONFIGURATIONS.of(node(64, 251)) == "cpu"
    assert CONFIGURATIONS.of(node(96, 500, 8)) == "V100"
    assert CONFIGURATIONS.of(node(1, 1, labels={"slotwise.dev/configuration": "T4"})) == "T4"
    by_type = {"node.kubernetes.io/instance-type": "P100"}
    assert CONFIGURATIONS.of(node(32, 128, 4, labels=by_type)) == "P100"
    other_type = {"node.kubernetes.io/instance-type": "m5.large"}
    assert CONFIGURATIONS.of(node(64, 251, labels=other_type)) == "cpu"


@pytest.mark.parametrize(
    ("made", "message"),
    [
        # 8 GPUs are more than a quarter away from none, and 64 from 96 as well.
        (node(64, 256, 8), "like no configuration of the plan, the nearest is V100 with cpu 96"),
        (node(2, 4), "node a has cpu 2, memory 4, gpu 0: like no configuration"),
        (node(32, 128, 4), "as T4 and P100 have: label it slotwise.dev/configuration=NAME"),
        (node(1, 1, labels={"slotwise.dev/configuration": "x"}), "no configuration 'x', which"),
    ],
)
def test_a_node_of_no_configuration_is_said_in_words(made, message):
    with pytest.raises(InputError, match=message):
        CONFIGURATIONS.of(made)


def test_resources_are_called_and_counted_as_in_kubernetes():
    made = KubernetesResources.of(
        ["cores", "mem", "gpu", "fpga"],
        ["mem=memory:Mi", "fpga=x.com/fpga", "gpu=x.com/milli:1000"],
    )
    have = {"cpu": 2.0, "memory": 1024.0**2 * 7, "x.com/fpga": 1.0, "x.com/milli": 500.0}
    assert made.amounts(have) == {"cores": 2.0, "mem": 7.0, "gpu": 0.5, "fpga": 1.0}
    assert made.unknown() == []
    assert KubernetesResources.of(["disk", "Memory"]).unknown() == ["disk"]
    for given, message in (
        ("x=cpu", "the plan has no resource 'x'"),
        ("gpu", "need RESOURCE=NAME"),
        ("gpu=gpu", "need RESOURCE=NAME"),
        ("mem=memory:Q", "need a quantity"),
        ("mem=memory:0", "need a unit above 0"),
    ):
        with pytest.raises(InputError, match=message):
            KubernetesResources.of(["gpu", "mem"], [given])
