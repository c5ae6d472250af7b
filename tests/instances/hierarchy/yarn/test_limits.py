"""Minimums and maximums of fair-scheduler.xml as guarantees and limits."""

from pathlib import Path

import pytest

from slotwise.commands.app import run
from slotwise.core.errors import InputError
from slotwise.heuristics.hierarchy import allocate
from slotwise.instances.exporters import export
from slotwise.instances.hierarchy.hierarchy_file import hierarchy_document, write_hierarchy
from slotwise.instances.importers import import_

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
    tree, notes = read(
        DRF + leaf("a", f"<maxResources>{text}</maxResources>") + leaf("b"), tmp_path
    )
    assert quota(tree, "a") == {"limit": amounts}
    assert quota(tree, "b") == {}
    assert tree.dropped_limits == ()
    assert "maxResources of a: read as limits" in notes


def test_the_shares_keep_minimums_and_maximums(tmp_path: Path) -> None:
    # Weights 2, 7, 1 of 28 000; 8 000, 10 000 and 10 000 are the maximums, and fill it.
    tree, notes = read(
        "".join(
            leaf(
                name, f"<weight>{weight}</weight><maxResources>{most} mb, 99 vcores</maxResources>"
            )
            for name, weight, most in (("a", 2, 8000), ("b", 7, 10000), ("c", 1, 10000))
        ),
        tmp_path,
        {"memory": 28000.0},
    )
    shares = allocate(tree).tasks * tree.demand[:, 0]
    assert shares == pytest.approx([8000, 10000, 10000])
    (told,) = [note for note in notes if note.startswith("binding")]
    assert told == "binding while all are busy: a (memory), b (memory) and c (memory)"
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
    assert allocate(tree).tasks * tree.demand[:, 0] == pytest.approx([50, 10])


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
    assert allocate(tree).tasks * tree.demand[:, 0] == pytest.approx([6, 2, 4])


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
    tree, notes = read(leaf("a") + leaf("b"), tmp_path, demands=demands)
    assert tree.quotas is not None
    assert tree.quotas.shares == "memory"
    # Equal memory: n tasks each until 11 n = 100 cpu.
    assert allocate(tree).tasks == pytest.approx([100 / 11, 100 / 11])
    # By drf a gets x, b y tasks: a's 10 % of cpu per task against b's 1 % of either.
    (told,) = [note for note in notes if "counts memory only" in note]
    assert "with drf it would be 50 % of cpu for a instead of 90.91 %" in told
    drf, notes = read(DRF + leaf("a") + leaf("b"), tmp_path, demands=demands)
    assert drf.quotas is None
    assert hierarchy_document(drf)["format"] == "slotwise/hierarchy/1"
    assert not any("memory only" in note for note in notes)


def test_weight_0_is_served_last(tmp_path: Path) -> None:
    tree, _ = read(leaf("a") + leaf("b", "<weight>0</weight>"), tmp_path, {"memory": 10.0})
    assert allocate(tree).tasks * tree.demand[:, 0] == pytest.approx([10, 0])


def test_the_note_has_the_largest_difference(tmp_path: Path) -> None:
    demands = {"a": {"cpu": 10.0, "memory": 10.0}, "b": {"cpu": 1.0, "memory": 10.0}}
    _, notes = read(leaf("a") + leaf("b"), tmp_path, demands=demands)
    (told,) = [note for note in notes if note.startswith("YARN counts memory only here; with drf")]
    assert "it would be 50 % of cpu for a instead of 90.91 %" in told
    _, notes = read(leaf("a") + leaf("b"), tmp_path)
    assert any("with drf it would be the same with these demands" in note for note in notes)


def test_default_fifo_is_told(tmp_path: Path) -> None:
    tree, notes = read(
        DRF.replace("drf", "fifo") + leaf("a", leaf("x") + leaf("y")) + leaf("b"), tmp_path
    )
    assert allocate(tree).share == pytest.approx([0.25, 0.25, 0.5])
    (told,) = [note for note in notes if "fifo is for leaf queues only" in note]
    assert told.endswith("read as fair, the children of root and a")
    assert "within the queue, first come: b, a/x and a/y" in notes
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
    with pytest.raises(InputError, match="these are Spark pools: use import spark-pools"):
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
    assert told.endswith("a (drf)")


def test_hadoop_1_slots(tmp_path: Path) -> None:
    tree, notes = read(
        '<pool name="a"><minMaps>3</minMaps><maxReduces>5</maxReduces></pool><pool name="b"/>',
        tmp_path,
        {"maps": 10, "reduces": 10},
    )
    assert quota(tree, "a") == {"guarantee": {"maps": 3}, "limit": {"reduces": 5}}
    assert any("Hadoop 1 slots, read as slots" in note for note in notes)


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        (
            leaf("a", "<minResources>9 mb</minResources><maxResources>4 mb</maxResources>"),
            "node 'a': guarantee 9 of memory, more than its limit 4",
        ),
        (
            leaf(
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
    scaled = allocate(tree, scale_guarantees=True)
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
    assert allocate(again).tasks == pytest.approx(allocate(tree).tasks)
    assert any("yarn.scheduler.fair.preemption" in note for note in notes)


def test_writers_without_quotas_name_what_they_leave_out(tmp_path: Path) -> None:
    tree, _ = read(
        DRF + leaf("a", "<minResources>10 mb, 2 vcores</minResources>") + leaf("b"), tmp_path
    )
    for name in ("slurm", "yarn-capacity"):
        told = "not written, as this file has no place for a guarantee: a (2 cpu, 10 memory)"
        assert told in export(tree, name).notes
    last, _ = read(DRF + leaf("a") + leaf("b", "<weight>0</weight>"), tmp_path)
    with pytest.raises(InputError, match="takes none of 0"):
        export(last, "volcano")
