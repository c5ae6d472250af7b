"""A batch, a datacenter and a hierarchy that are as small as can be."""

import slotwise
from slotwise import Group, Leaf

INSTANCE = slotwise.Instance.from_jobs(
    "two",
    slotwise.Cluster.uniform(2, map_slots=1, reduce_slots=1),
    [slotwise.Job("a", maps=[3.0, 4.0], reduces=[5.0]), slotwise.Job("b", maps=[2.0])],
)
DATACENTER = slotwise.Datacenter.from_classes(
    "rack",
    ["cpu"],
    [slotwise.Configuration("small", 2, {"cpu": 2.0})],
    [slotwise.JobClass("web", 1.0, 0.5, {"cpu": 1.0})],
)
TREE = slotwise.Hierarchy.from_tree(
    {"cpu": 10.0}, Group("root", [Leaf("a", {"cpu": 1.0}, 2.0), Leaf("b", {"cpu": 2.0}, tasks=3)])
)
