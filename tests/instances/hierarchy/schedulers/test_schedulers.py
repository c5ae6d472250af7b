"""Files of real schedulers: read by their rules, written so that the shares survive."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from slotwise.core.errors import InputError
from slotwise.heuristics.hierarchy import fair
from slotwise.instances.exporters import EXPORTERS
from slotwise.instances.hierarchy.hierarchy import Hierarchy
from slotwise.instances.hierarchy.nodes import Group, Leaf
from slotwise.instances.hierarchy.schedulers.demands import DemandOptions
from slotwise.instances.importers import IMPORTERS

CAPACITY = {"cpu": 200.0, "memory": 400.0}
DEMAND = {"cpu": 1.0, "memory": 2.0}
DEMANDS = DemandOptions(CAPACITY, DEMAND)
BOTH_WAYS = ("yarn", "yarn-capacity", "kueue")


def reader(name: str):
    return IMPORTERS.lookup(name).load()


def writer(name: str):
    return EXPORTERS.lookup(name).load()


def read(name: str, text: str, tmp_path: Path, options: DemandOptions = DEMANDS):
    path = tmp_path / "file"
    path.write_text(text)
    return reader(name)(path, **vars(options))


def tree(*children, weight: float = 1.0) -> Hierarchy:
    return Hierarchy.from_tree(CAPACITY, Group("root", children, weight))


@pytest.fixture
def example() -> Hierarchy:
    """eng 3: dev 1, prod 2; sci 1. Shares of the whole 1/4, 1/2, 1/4."""
    return tree(
        Group("eng", [Leaf("dev", DEMAND, 1), Leaf("prod", DEMAND, 2)], 3), Leaf("sci", DEMAND, 1)
    )


YARN = """<?xml version="1.0"?>
<allocations>
  <defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>
  <queue name="eng"><weight>3.0</weight>
    <queue name="dev"><weight>1.0</weight></queue>
    <queue name="prod"><weight>2.0</weight></queue></queue>
  <pool name="sci"><weight>1.0</weight></pool>
</allocations>
"""

CAPACITY_XML = """<configuration>
  <property><name>yarn.scheduler.capacity.resource-calculator</name>
    <value>org.apache.hadoop.yarn.util.resource.DominantResourceCalculator</value></property>
  <property><name>yarn.scheduler.capacity.root.queues</name><value>eng, sci</value></property>
  <property><name>yarn.scheduler.capacity.root.eng.capacity</name><value>75</value></property>
  <property><name>yarn.scheduler.capacity.root.sci.capacity</name><value>25</value></property>
  <property><name>yarn.scheduler.capacity.root.eng.queues</name><value>dev,prod</value></property>
  <property><name>yarn.scheduler.capacity.root.eng.dev.capacity</name><value>1w</value></property>
  <property><name>yarn.scheduler.capacity.root.eng.prod.capacity</name><value>2w</value></property>
</configuration>
"""

KUEUE = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: {name: top}
spec:
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors:
    - name: default
      resources: [{name: cpu, nominalQuota: 200}, {name: memory, nominalQuota: 400m}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: {name: eng}
spec: {parentName: top, fairSharing: {weight: "3"}}
---
kind: ClusterQueue
metadata: {name: eng-dev}
spec: {cohortName: eng, fairSharing: {weight: "500m"}, preemption: {reclaimWithinCohort: Any}GROUPS}
---
kind: ClusterQueue
metadata: {name: eng-prod}
spec: {cohort: eng, preemption: {reclaimWithinCohort: Any}GROUPS}
---
kind: ClusterQueue
metadata: {name: sci}
spec: {cohortName: topGROUPS}
---
kind: ClusterQueue
metadata: {name: alone}
spec: {}
""".replace(
    "GROUPS",
    """,
  resourceGroups: [{coveredResources: [cpu, memory], flavors: [{name: default,
    resources: [{name: cpu, nominalQuota: 0}, {name: memory, nominalQuota: 0}]}]}]""",
)


@pytest.mark.parametrize(
    ("name", "text", "paths"),
    [
        ("yarn", YARN, ("eng/dev", "eng/prod", "sci")),
        ("yarn-capacity", CAPACITY_XML, ("eng/dev", "eng/prod", "sci")),
        ("kueue", KUEUE, ("eng/eng-dev", "eng/eng-prod", "sci")),
    ],
)
def test_reads_shares_of_a_quarter_a_half_a_quarter(name, text, paths, tmp_path: Path) -> None:
    found, notes = read(name, text, tmp_path)
    assert set(found.paths) == set(paths)
    shares = [found.guarantee[found.leaf_at(path)] for path in paths]
    assert shares == pytest.approx([1 / 4, 1 / 2, 1 / 4])
    assert found.demand_of(0) == DEMAND
    if name == "kueue":
        assert any("alone" in line for line in notes)
        assert any("reclaimWithinCohort" in line and "sci" in line for line in notes)
        assert not any("eng-dev" in line for line in notes)


def test_yarn_queues_of_0_percent_get_what_is_idle(tmp_path: Path) -> None:
    text = CAPACITY_XML.replace("eng, sci", "eng,idle,sci").replace(
        "</configuration>",
        "<property><name>yarn.scheduler.capacity.root.idle.capacity</name><value>0</value></property>"
        "<property><name>yarn.scheduler.capacity.root.idle.queues</name><value>a</value></property>"
        "<property><name>yarn.scheduler.capacity.root.idle.a.capacity</name><value>100</value>"
        "</property></configuration>",
    )
    found, notes = read("yarn-capacity", text, tmp_path)
    assert found.paths == ("eng/dev", "eng/prod", "idle/a", "sci")
    idle = found.node_at("idle")
    assert (found.weight[idle], found.quota_of(idle)) == (0, {})
    # 25 of 100 parts for sci, 50 for prod, as without it.
    assert found.quota_of(found.node_at("sci")) == {"guarantee": {"cpu": 50, "memory": 100}}
    assert fair(found).tasks == pytest.approx([50, 100, 0, 50])
    assert not any("not read" in line for line in notes)
    with pytest.raises(InputError, match="root: the capacities of its queues sum to 0, not to 100"):
        read("yarn-capacity", text.replace(">75<", ">0<").replace(">25<", ">0<"), tmp_path)


def test_yarn_maximum_capacity_is_a_limit(tmp_path: Path) -> None:
    key = "<property><name>yarn.scheduler.capacity.root.%s.maximum-capacity</name><value>%s</value>"
    end = "</property></configuration>"
    text = CAPACITY_XML.replace("</configuration>", key % ("eng", 80) + end)
    text = text.replace("</configuration>", key % ("eng.prod", 75) + end)
    options = DemandOptions(CAPACITY, DEMAND, tasks={"sci": 0.0, "eng/dev": 0.0})
    found, _ = read("yarn-capacity", text, tmp_path, options)
    prod = found.quota_of(found.node_at("eng/prod"))
    # 50 % of the cluster by its capacity; at most 75 % of the 80 % that eng may have.
    assert prod["guarantee"] == pytest.approx({"cpu": 100, "memory": 200})
    assert prod["limit"] == pytest.approx({"cpu": 120, "memory": 240})
    assert fair(found).tasks == pytest.approx([0, 120, 0])
    assert found.dropped_limits == ()
    with pytest.raises(InputError, match="eng: maximum-capacity 70 is 70 % of the cluster, less"):
        read("yarn-capacity", text.replace(">80<", ">70<"), tmp_path)


def test_kueue_takes_the_quotas_as_capacity(tmp_path: Path) -> None:
    found, notes = read("kueue", KUEUE, tmp_path, DemandOptions({}))
    assert dict(zip(found.resources, found.capacity, strict=True)) == {"cpu": 200, "memory": 0.4}
    assert found.demand_of(0) == {"cpu": 0.2, "memory": 0.0004}
    assert any("1/1000" in line for line in notes)


def test_single_leaves_may_ask_for_something_else(tmp_path: Path) -> None:
    options = DemandOptions(CAPACITY, DEMAND, {"sci": {"cpu": 4.0}}, {"eng/dev": 7.0})
    found, _ = read("yarn", YARN, tmp_path, options)
    assert found.demand_of(found.leaf_at("sci")) == {"cpu": 4.0, "memory": 0.0}
    assert found.tasks[found.leaf_at("eng/dev")] == 7
    with pytest.raises(InputError, match="'ops' is no leaf"):
        read("yarn", YARN, tmp_path, DemandOptions(CAPACITY, DEMAND, {}, {"ops": 1.0}))


def yarn(inside: str) -> str:
    return f"<allocations>{inside}</allocations>"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("yarn", "<queues/>", "need the root element <allocations>, got <queues>"),
        ("yarn", "<allocations>", "not XML"),
        ("yarn", yarn("<queue/>"), "a queue without a name"),
        ("yarn", yarn('<queue name=" a"/>'), "has white space around it"),
        ("yarn", yarn('<queue name="a.b"/>'), "must not hold a '.'"),
        ("yarn", yarn('<queue name="a"/><queue name="a"/>'), "queue 'a': defined twice"),
        ("yarn", yarn('<queue name="root"/><queue name="a"/>'), "no other queue beside it"),
        (
            "yarn",
            yarn(
                '<queue name="a" type="parent"><schedulingPolicy>fifo</schedulingPolicy></queue>'
            ),
            "queue 'a', schedulingPolicy: fifo is for leaf queues only",
        ),
        (
            "yarn",
            yarn('<queue name="a" type="parent"><maxAMShare>0.5</maxAMShare></queue>'),
            "queue 'a', maxAMShare: not allowed for a queue with children",
        ),
        ("yarn", yarn('<queue name="a" type="parent"><reservation/></queue>'), "reservation"),
        ("yarn", yarn('<queue name="a"><weight/></queue>'), "queue 'a', weight: empty"),
        ("yarn", yarn('<queue name="a"><weight>-1</weight></queue>'), "must be >= 0, got -1"),
        ("yarn", yarn('<queue name="a"><weight>x</weight></queue>'), "not a number: 'x'"),
        (
            "yarn",
            yarn('<queue name="a"><minResources>-1 mb, 2 vcores</minResources></queue>'),
            "minResources, mb: must be >= 0",
        ),
        (
            "yarn",
            yarn('<queue name="a"><maxResources>lots</maxResources></queue>'),
            "cannot read 'lots'",
        ),
        ("yarn-capacity", "<configuration/>", "root.queues is missing"),
        (
            "yarn-capacity",
            CAPACITY_XML.replace("<value>75</value>", "<value>3w</value>"),
            "root: queues with weights beside queues with percentages",
        ),
        (
            "yarn-capacity",
            CAPACITY_XML.replace("<value>75</value>", "<value>70</value>"),
            "sum to 95, not to 100",
        ),
        (
            "yarn-capacity",
            CAPACITY_XML.replace("<value>1w</value>", "<value>[memory=10]</value>"),
            "root.eng: queues with weights beside queues with amounts",
        ),
        (
            "yarn-capacity",
            CAPACITY_XML.replace("<value>1w</value>", "<value>0w</value>"),
            "must be > 0",
        ),
        (
            "yarn-capacity",
            CAPACITY_XML.replace("dev,prod", "dev,dev"),
            "'dev' is listed twice",
        ),
        ("kueue", "kind: [", "not YAML"),
        ("kueue", "a: 1", "has no kind"),
        ("kueue", KUEUE.replace('weight: "3"', 'weight: "3x"'), "need a quantity"),
        (
            "kueue",
            KUEUE.replace("[cpu, memory]", "[memory, cpu]"),
            "must match coveredResources in number and order: memory, cpu",
        ),
        (
            "kueue",
            KUEUE.replace("name: top}\nspec:", "name: top}\nspec:\n  parentName: eng"),
            "is its own ancestor",
        ),
        ("kueue", KUEUE.replace("name: eng-prod", "name: eng-dev"), "defined twice"),
    ],
)  # fmt: skip
def test_each_rule_has_its_line(name: str, text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        read(name, text, tmp_path)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_what_is_not_read_is_told(tmp_path: Path) -> None:
    text = yarn(
        "<userMaxAppsDefault>5</userMaxAppsDefault>"
        '<queue name="a"><minResources>memory-mb=3, vcores=1</minResources>'
        "<maxResources>4 mb, 4 vcores</maxResources><colour>red</colour></queue>"
        '<queue name="b"><queue name="c"/></queue>'
    )
    _, notes = read("yarn", text, tmp_path)
    told = "\n".join(notes)
    for words in (
        "userMaxAppsDefault", "not read: colour and minResources of cpu below policy fair",
    ):  # fmt: skip
        assert words in told
    found, _ = read("yarn-capacity", CAPACITY_XML.replace("Dominant", "Default"), tmp_path)
    assert found.quotas.shares == "memory"


@pytest.mark.parametrize("name", BOTH_WAYS)
def test_what_is_written_reads_as_the_same_shares(name, example, tmp_path: Path) -> None:
    text, _ = writer(name)(example)
    again, _ = read(name, text, tmp_path)
    assert again.guarantee == pytest.approx(example.guarantee)
    assert [path.split("/")[-1][-3:] for path in again.paths] == ["dev", "rod", "sci"]


names = st.text("abc", min_size=1, max_size=4)


@st.composite
def trees(draw: st.DrawFn) -> Hierarchy:
    counter = iter(range(1000))

    def node(depth: int):
        name = f"{draw(names)}{next(counter)}"
        weight = draw(st.one_of(st.integers(1, 9).map(float), st.floats(0.01, 100)))
        children = draw(st.integers(0, 3)) if depth < 3 else 0
        if not children:
            return Leaf(name, DEMAND, weight)
        return Group(name, [node(depth + 1) for _ in range(children)], weight)

    return tree(*[node(1) for _ in range(draw(st.integers(1, 3)))])


@settings(max_examples=60, deadline=None)
@given(trees(), st.sampled_from(BOTH_WAYS))
def test_any_tree_survives_the_round_trip(tmp_path_factory, drawn: Hierarchy, name: str) -> None:
    text, _ = writer(name)(drawn)
    again, _ = read(name, text, tmp_path_factory.mktemp("trees"))
    order = [again.leaf_at(path) for path in sorted(again.paths)]
    expected = [drawn.leaf_at(path) for path in sorted(drawn.paths)]
    if name in ("yarn", "yarn-capacity"):
        assert sorted(again.paths) == sorted(drawn.paths)
        assert again.guarantee[order] == pytest.approx(drawn.guarantee[expected], rel=1e-6)
    else:
        assert sorted(again.guarantee) == pytest.approx(sorted(drawn.guarantee), rel=2e-6)


def test_yarn_is_what_yarn_expects(example: Hierarchy) -> None:
    text, _ = writer("yarn")(example)
    root = ElementTree.fromstring(text)
    assert root.findtext("defaultQueueSchedulingPolicy") == "drf"
    assert root.find("queue[@name='eng']").get("type") == "parent"
    assert root.findtext("queue[@name='eng']/queue[@name='prod']/weight") == "2.0"
    for name in ("yarn", "yarn-capacity"):
        with pytest.raises(InputError, match=r"hold no '\.'"):
            writer(name)(tree(Leaf("a.b", DEMAND)))


def test_kueue_gives_all_quota_to_the_root(example: Hierarchy) -> None:
    documents = {
        (d["kind"], d["metadata"]["name"]): d
        for d in yaml.safe_load_all(writer("kueue")(example)[0])
    }
    quotas = {
        key: document["spec"]["resourceGroups"][0]["flavors"][0]["resources"]
        for key, document in documents.items()
        if "resourceGroups" in document.get("spec", {})
    }
    assert quotas["Cohort", "root"] == [
        {"name": "cpu", "nominalQuota": "200"},
        {"name": "memory", "nominalQuota": "400"},
    ]
    assert all(q["nominalQuota"] == "0" for q in quotas["ClusterQueue", "eng-dev"])
    queue = documents["ClusterQueue", "eng-prod"]["spec"]
    assert queue["cohortName"] == "eng"
    assert queue["fairSharing"] == {"weight": "2"}
    assert queue["preemption"] == {"reclaimWithinCohort": "Any"}


def test_colliding_names_are_an_error() -> None:
    collision = tree(Group("a", [Leaf("b-c", DEMAND)]), Group("a-b", [Leaf("c", DEMAND)]))
    with pytest.raises(InputError, match="'a/b-c' and 'a-b/c' would both be called 'a-b-c'"):
        writer("kueue")(collision)
    with pytest.raises(InputError, match="would both be called"):
        writer("kueue")(tree(Leaf("Sci", DEMAND), Leaf("sci", DEMAND)))
