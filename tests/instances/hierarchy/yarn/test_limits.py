"""Minimums and maximums of fair-scheduler.xml as guarantees and limits."""

from pathlib import Path

import pytest
from printed import shown

from slotwise.commands.app import run
from slotwise.core.errors import InputError
from slotwise.heuristics.hierarchy import fair
from slotwise.heuristics.hierarchy.questions import why
from slotwise.instances.exporters import export
from slotwise.instances.hierarchy.checker import check_allocation
from slotwise.instances.hierarchy.hierarchy_file import hierarchy_document, write_hierarchy
from slotwise.instances.importers import import_
from slotwise.reports.hierarchy.limit_tables import node_table

DRF = "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>"


def read(inside: str, tmp_path: Path, capacity=None, **options):
    path = tmp_path / "fair-scheduler.xml"
    path.write_text(f"<allocations>{inside}</allocations>")
    imported = import_("yarn", path, capacity=capacity or {"cpu": 100, "memory": 1000}, **options)
    return imported.made, imported.notes


def quota(tree, path: str):
    return tree.quota_of(tree.node_at(path))


def leaf(name: str, inside: str = "") -> str:
    return f'<queue name="{name}">{inside}</queue>'


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("300 mb, 9 vcores", {"memory": 300, "cpu": 9}),
        ("9vcores,300MB", {"memory": 300, "cpu": 9}),
        ("memory-mb=300, vcores=9", {"memory": 300, "cpu": 9}),
        ("vcores = 9", {"cpu": 9}),
        ("50%", {"memory": 500, "cpu": 50}),
        ("40% memory, 20% cpu", {"memory": 400, "cpu": 20}),
        ("vcores=20%, memory-mb=12.5%", {"memory": 125, "cpu": 20}),
    ],
)
def test_every_spelling_of_an_amount(text: str, amounts, tmp_path: Path) -> None:
    tree, _ = read(DRF + leaf("a", f"<maxResources>{text}</maxResources>") + leaf("b"), tmp_path)
    assert quota(tree, "a") == {"limit": amounts}
    assert quota(tree, "b") == {}
    assert tree.dropped_limits == ()


def test_the_shares_keep_minimums_and_maximums(tmp_path: Path) -> None:
    # Weights 2, 7, 1 of 28 000; 8 000, 10 000 and 10 000 are the maximums, and fill it.
    tree, _ = read(
        "".join(
            leaf(
                name, f"<weight>{weight}</weight><maxResources>{most} mb, 99 vcores</maxResources>"
            )
            for name, weight, most in (("a", 2, 8000), ("b", 7, 10000), ("c", 1, 10000))
        ),
        tmp_path,
        {"memory": 28000.0},
    )
    shares = fair(tree).tasks * tree.demand[:, 0]
    assert shares == pytest.approx([8000, 10000, 10000])
    # vcores are in no capacity: they stay in words.
    assert {str(limit) for limit in tree.dropped_limits} == {
        f"{name}: maxResources = 99 vcores" for name in "abc"
    }


def test_the_maximum_of_root_is_the_capacity(tmp_path: Path) -> None:
    inside = "<maxResources>60 mb, 5 vcores</maxResources>" + leaf("a") + leaf("b", MOST)
    tree, notes = read(leaf("root", inside), tmp_path, {"memory": 100.0})
    assert tree.capacity.tolist() == [60]
    assert "maxResources of root: the capacity of memory is 60, not 100" in notes
    assert [str(one) for one in tree.dropped_limits] == ["root: maxResources = 5 vcores"]
    # Parts of the cluster are of the whole.
    assert quota(tree, "b") == {"limit": {"memory": 10}}
    assert fair(tree).tasks * tree.demand[:, 0] == pytest.approx([50, 10])


MOST = "<maxResources>10%</maxResources>"


def test_a_minimum_lifts_and_weights_divide_everything(tmp_path: Path) -> None:
    # 12: a has its 6, b and c share the rest as 1 to 2.
    tree, _ = read(
        leaf("a", "<minResources>6 mb, 0 vcores</minResources>")
        + leaf("b")
        + leaf("c", "<weight>2</weight>"),
        tmp_path,
        {"memory": 12.0},
    )
    assert fair(tree).tasks * tree.demand[:, 0] == pytest.approx([6, 2, 4])


def test_defaults_are_for_queues_without_a_maximum_of_their_own(tmp_path: Path) -> None:
    tree, _ = read(
        DRF
        + "<queueMaxResourcesDefault>400 mb, 40 vcores</queueMaxResourcesDefault>"
        + leaf(
            "a",
            "<maxChildResources>10%</maxChildResources>"
            + leaf("x")
            + leaf("y", "<maxResources>200 mb, 20 vcores</maxResources>"),
        )
        + leaf("b"),
        tmp_path,
    )
    limits = {path: quota(tree, path)["limit"]["memory"] for path in ("a", "a/x", "a/y", "b")}
    assert limits == {"a": 400, "a/x": 100, "a/y": 200, "b": 400}


def test_policy_fair_counts_memory(tmp_path: Path) -> None:
    demands = {"a": {"cpu": 10.0, "memory": 10.0}, "b": {"cpu": 1.0, "memory": 10.0}}
    tree, _ = read(leaf("a") + leaf("b"), tmp_path, demands=demands)
    assert tree.quotas is not None
    assert tree.quotas.shares == "memory"
    # Equal memory: n tasks each until 11 n = 100 cpu.
    assert fair(tree).tasks == pytest.approx([100 / 11, 100 / 11])
    drf, _ = read(DRF + leaf("a") + leaf("b"), tmp_path, demands=demands)
    assert drf.quotas is None
    assert hierarchy_document(drf)["format"] == "slotwise/hierarchy/1"


def test_weight_0_is_served_last(tmp_path: Path) -> None:
    tree, _ = read(leaf("a") + leaf("b", "<weight>0</weight>"), tmp_path, {"memory": 10.0})
    assert fair(tree).tasks * tree.demand[:, 0] == pytest.approx([10, 0])


def test_default_fifo_is_told(tmp_path: Path) -> None:
    tree, notes = read(
        DRF.replace("drf", "fifo") + leaf("a", leaf("x") + leaf("y")) + leaf("b"), tmp_path
    )
    assert fair(tree).share == pytest.approx([0.25, 0.25, 0.5])
    (told,) = [note for note in notes if "fifo is for leaf queues only" in note]
    assert told.endswith("read as fair, the children of root and a")
    inside = "<schedulingPolicy>fifo</schedulingPolicy>" + leaf("x")
    with pytest.raises(InputError, match="queue 'a', schedulingPolicy: fifo is for leaf queues"):
        read(leaf("a", inside), tmp_path)


@pytest.mark.parametrize(
    "pool",
    [
        "<schedulingMode>FAIR</schedulingMode><weight>1</weight><minShare>2</minShare>",
        "<schedulingMode>FIFO</schedulingMode>",
    ],
)
def test_pools_of_spark_are_told(pool: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="import spark-pools is no longer there: docs"):
        read(f'<pool name="a">{pool}</pool>', tmp_path)
    # Those of Hadoop 1 have a mode too.
    hadoop, _ = read(f'<pool name="a"><minMaps>1</minMaps>{MODE}</pool>', tmp_path)
    assert hadoop.paths == ("a",)


MODE = "<schedulingMode>fifo</schedulingMode>"


@pytest.mark.parametrize("command", ["import", "fair"])
def test_nothing_to_divide_is_an_answer(command: str, tmp_path: Path, capsys) -> None:
    path, tree = tmp_path / "fair-scheduler.xml", tmp_path / "tree.json"
    if command == "import":
        path.write_text("<allocations><userMaxAppsDefault>5</userMaxAppsDefault></allocations>")
        words = ["import", "yarn", str(path), "--capacity", "cpu=4", "-o", str(tree)]
        assert run(words) == 1
        told = capsys.readouterr().err
        assert (
            "no queues: YARN makes root.default (or a queue per user); nothing is divided" in told
        )
        assert not tree.exists()
        return
    for quota in ("", "<maxResources>9 mb</maxResources>"):
        made, _ = read(DRF + leaf("a", quota), tmp_path, tasks={"a": 0.0})
        write_hierarchy(made, tree)
        assert run(["fair", str(tree)]) == 0
        assert "nothing to divide: no leaf has tasks" in capsys.readouterr().out


def test_drf_below_fair_is_told(tmp_path: Path) -> None:
    inside = "<schedulingPolicy>drf</schedulingPolicy>" + leaf("x")
    _, notes = read(leaf("a", inside) + leaf("b"), tmp_path)
    (told,) = [note for note in notes if "Hadoop 3 refuses" in note]
    assert told.endswith(": a")


def test_hadoop_1_slots(tmp_path: Path) -> None:
    tree, _ = read(
        '<pool name="a"><minMaps>3</minMaps><maxReduces>5</maxReduces></pool><pool name="b"/>',
        tmp_path,
        {"maps": 10, "reduces": 10},
    )
    assert quota(tree, "a") == {"guarantee": {"maps": 3}, "limit": {"reduces": 5}}


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        (
            leaf("a", "<minResources>9 mb</minResources><maxResources>4 mb</maxResources>"),
            "node 'a': guarantee 9 of memory, more than its limit 4 (memory is in MB, in the file",
        ),
        (
            DRF
            + leaf(
                "eng",
                "<maxResources>vcores=40</maxResources>"
                + leaf("dev", "<minResources>vcores=30</minResources>")
                + leaf("test", "<minResources>vcores=20</minResources>"),
            ),
            "eng: guarantees of dev 30 + test 20 = 50 cpu, limit 40",
        ),
    ],
)
def test_contradictions_are_refused(inside: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="fair-scheduler") as error:
        read(inside, tmp_path)
    assert message in str(error.value)


def test_more_than_there_is_is_told(tmp_path: Path) -> None:
    inside = "".join(
        leaf(n, f"<minResources>{m} mb</minResources>") for n, m in (("a", 9), ("b", 6))
    )
    tree, notes = read(inside, tmp_path, {"memory": 10.0})
    assert any("guarantees of a 9 + b 6 = 15 memory, the capacity is 10" in note for note in notes)
    scaled = fair(tree, scale_guarantees=True)
    assert scaled.tasks * tree.demand[:, 0] == pytest.approx([6, 4])


def test_capacity_in_the_units_of_kubernetes(tmp_path: Path) -> None:
    tree, _ = read(leaf("a"), tmp_path, {"memory": "4Gi", "cpu": "64000m"})
    assert dict(zip(tree.resources, tree.capacity.tolist(), strict=True)) == {
        "memory": 4096,
        "cpu": 64,
    }
    with pytest.raises(InputError, match="capacity, memory: need a quantity"):
        read(leaf("a"), tmp_path, {"memory": "4Gx"})


def test_what_is_written_reads_as_the_same_tree(tmp_path: Path) -> None:
    tree, _ = read(
        DRF
        + leaf(
            "eng",
            "<weight>3</weight><maxResources>600 mb, 70 vcores</maxResources>"
            + leaf("dev", "<minResources>100 mb, 20 vcores</minResources>")
            + leaf("test", "<weight>0</weight>"),
        )
        + leaf("ads"),
        tmp_path,
    )
    text, notes = export(tree, "yarn")
    again, _ = read(text.split("<allocations>")[1].split("</allocations>")[0], tmp_path)
    assert [again.quota_of(n) for n in range(again.nodes)] == [
        tree.quota_of(n) for n in range(tree.nodes)
    ]
    assert fair(again).tasks == pytest.approx(fair(tree).tasks)
    assert any("yarn.scheduler.fair.preemption" in note for note in notes)


def test_writers_without_quotas_name_what_they_leave_out(tmp_path: Path) -> None:
    tree, _ = read(
        DRF + leaf("a", "<minResources>10 mb, 2 vcores</minResources>") + leaf("b"), tmp_path
    )
    told = "not written, as this file has no place for a guarantee: a (2 cpu, 10 memory)"
    assert told in export(tree, "yarn-capacity").notes


def least(memory: int, cpu: int = 0) -> str:
    return f"<minResources>{memory} mb, {cpu} vcores</minResources>"


def policy(name: str) -> str:
    return f"<schedulingPolicy>{name}</schedulingPolicy>"


def used(tree, resource: str = "memory"):
    """What each leaf uses of a resource; the checker agrees."""
    allocation = fair(tree)
    assert check_allocation(allocation).valid
    j = tree.resources.index(resource)
    return dict(zip(tree.paths, (allocation.tasks * tree.demand[:, j]).tolist(), strict=True))


LARGE = {"cpu": 24, "memory": 8192}
SMALL = leaf("a", least(1024) + "<weight>0.01</weight>") + leaf("b", "<weight>10</weight>")


def test_policy_fair_counts_minimums_of_memory_alone(tmp_path: Path) -> None:
    # An eighth of memory is a's minimum, and its tasks take an eighth of cpu with it.
    tree, _ = read(SMALL, tmp_path, LARGE)
    assert used(tree) == pytest.approx({"a": 1024, "b": 7168})
    assert used(tree, "cpu") == pytest.approx({"a": 3, "b": 21})
    allocation = fair(tree)
    assert allocation.nodes.guaranteed[1].tolist() == pytest.approx([3, 1024])
    assert "guarantees stated for 1 node: all are kept" in shown(node_table(allocation))
    lines = str(why(allocation, "a")).splitlines()
    # By weights .01 of 10.01 of 8192.
    assert lines[1] == (
        "Guaranteed 3 cpu and 1024 memory, its own minimum is 1024 memory; by weights alone "
        "8.18382 memory (weight 0.01 of 10.01 below root)."
    )
    assert not any("Borrows" in line or "Minimum +1 cpu" in line for line in lines)
    assert "Minimum +1 memory: +0.00293 cpu, +1 memory" in lines[-1]
    # By drf tasks that need cpu too hold nothing of it.
    tree, _ = read(DRF + SMALL, tmp_path, LARGE)
    assert used(tree)["a"] == pytest.approx(8192 * 0.01 / 10.01)
    assert "1 node: tasks hold a 0 of 1024 memory;" in shown(node_table(fair(tree)))
    assert "Guaranteed nothing, its own minimum is 1024 memory;" in str(why(fair(tree), "a"))
    tree, _ = read(DRF + SMALL.replace("0 vcores", "3 vcores"), tmp_path, LARGE)
    assert used(tree)["a"] == pytest.approx(1024)


def test_policy_fair_counts_no_minimum_of_vcores(tmp_path: Path) -> None:
    # Two thirds of cpu for each of three would be too much; of memory they have 300, 0 and 0.
    inside = "".join(
        leaf(name, least(memory, 66) + "<weight>0.01</weight>")
        for name, memory in (("a", 300), ("b", 0), ("c", 0))
    )
    tree, notes = read(inside + leaf("d"), tmp_path)
    assert quota(tree, "a") == {"guarantee": {"memory": 300}}
    assert used(tree) == pytest.approx({"a": 300, "b": 7 / 1.02, "c": 7 / 1.02, "d": 700 / 1.02})
    assert "not read: minResources of cpu below policy fair" in notes


def test_maximums_hold_for_all_resources_whatever_the_policy(tmp_path: Path) -> None:
    # 1 of 24 vcores lets tasks hold 1/24 of memory, less than the minimum of a or of eng/a.
    most = "<maxResources>8192 mb, 1 vcores</maxResources>"
    for path, inside in (
        ("a", leaf("a", least(1024) + most)),
        ("eng/a", leaf("eng", most + leaf("a", least(1024)))),
    ):
        tree, _ = read(inside + leaf("b"), tmp_path, LARGE)
        assert used(tree) == pytest.approx({path: 8192 / 24, "b": 8192 * 23 / 24})
        allocation = fair(tree)
        assert f"tasks hold {path} 341.333 of 1024 memory" in shown(node_table(allocation))
        assert "341.333 memory, its own minimum is 1024 memory" in str(why(allocation, path))


def test_minimums_of_memory_hold_as_far_as_vcores_last(tmp_path: Path) -> None:
    # For 300 and 100 mb tasks of 4 vcores and 10 mb take 120 and 40 of 40 vcores: each has a
    # fourth of its minimum. c takes no vcores and has the rest.
    demands = {name: {"cpu": 4.0, "memory": 10.0} for name in "ab"} | {"c": {"memory": 10.0}}
    tree, _ = read(
        leaf("a", least(300)) + leaf("b", least(100)) + leaf("c"),
        tmp_path,
        {"cpu": 40, "memory": 1000},
        demands=demands,
    )
    assert used(tree) == pytest.approx({"a": 75, "b": 25, "c": 900})


def test_each_minimum_counts_by_the_policy_of_the_queue_above(tmp_path: Path) -> None:
    # Below root drf counts: ads holds nothing of its 300 mb. eng and ads have half each. Below
    # eng memory alone counts: dev has 300 of 500 and test the rest, though weights are 1 : 9.
    # sub, a group below eng, has at least 100.
    dev = leaf("dev", least(300) + "<weight>0.01</weight>")
    sub = leaf("sub", least(100) + "<weight>0.01</weight>" + leaf("x") + leaf("y"))
    eng = leaf("eng", policy("fair") + dev + sub + leaf("test", "<weight>9</weight>"))
    ads = leaf("ads", least(600))
    every = {"eng/dev": 300, "eng/sub/x": 50, "eng/sub/y": 50, "eng/test": 100, "ads": 500}
    tree, _ = read(DRF + eng + ads, tmp_path)
    assert used(tree) == pytest.approx(every)
    assert quota(tree, "eng/dev") == {"guarantee": {"cpu": 30, "memory": 300}}
    assert quota(tree, "ads") == {"guarantee": {"memory": 600}}
    # The policy of a leaf is of its jobs: fifo or fair, its minimum counts as before.
    for own in ("fifo", "fair"):
        other, _ = read(DRF + eng + ads.replace("<min", policy(own) + "<min"), tmp_path)
        assert used(other) == pytest.approx(every)


@pytest.mark.parametrize(
    ("default", "root", "kept"),
    [
        ("fair", "", True),
        ("fifo", "", True),  # for leaf queues only: read as fair
        ("drf", "", False),
        ("drf", "fair", True),
        ("fair", "drf", False),
    ],
)
def test_the_policy_of_root_is_its_own_or_the_default(
    default: str, root: str, kept: bool, tmp_path: Path
) -> None:
    inside = SMALL if not root else leaf("root", policy(root) + SMALL)
    tree, _ = read(DRF.replace("drf", default) + inside, tmp_path, LARGE)
    assert used(tree)["a"] == pytest.approx(1024 if kept else 8192 * 0.01 / 10.01)


def test_other_schedulers_get_the_vcores_that_a_minimum_of_memory_takes(tmp_path: Path) -> None:
    tree, _ = read(SMALL, tmp_path, LARGE)
    kueue = tmp_path / "kueue.yaml"
    kueue.write_text(export(tree, "kueue").text)
    again = import_("kueue", kueue).made
    assert quota(again, "a") == {"guarantee": {"cpu": 3, "memory": 1024}}
    text = export(tree, "yarn").text
    assert "<minResources>memory-mb=1024</minResources>" in text
    again, _ = read(text.split("<allocations>")[1].split("</allocations>")[0], tmp_path, LARGE)
    assert used(again) == pytest.approx(used(tree))


def test_the_minimum_of_the_collection(traces: Path, tmp_path: Path) -> None:
    file = traces / "regressions" / "yarn-memory-only-minimum.xml"
    if not file.is_file():
        pytest.skip(f"no collection of regressions at {file.parent}")
    tree = import_("yarn", file, capacity=LARGE).made
    assert used(tree) == pytest.approx({"a": 1024, "b": 7168})
