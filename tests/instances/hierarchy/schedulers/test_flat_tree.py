"""Trees without their groups: what leaves keep, what is lost and said."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotwise.commands.app import run
from slotwise.heuristics.hierarchy import allocate
from slotwise.instances.hierarchy.dropped_limits import DroppedLimit
from slotwise.instances.hierarchy.hierarchy import Hierarchy
from slotwise.instances.hierarchy.hierarchy_file import write_hierarchy
from slotwise.instances.hierarchy.plain_tree import Group, Leaf, Quota, Sharing
from slotwise.instances.hierarchy.schedulers.flat_tree import flattened, lost_when_flat

CPU = {"cpu": 1.0}


def tree(ads: float = 45, **options) -> Hierarchy:
    """eng holds at most 40 of 100; dev 3 (guaranteed 20, at most 35), test 1; ads 4."""
    dev = Leaf("dev", CPU, 3, quota=Quota({"cpu": 20.0}, {"cpu": 35.0}))
    test = Leaf("test", CPU, quota=Quota(priority=1))
    eng = Group("eng", [dev, test], quota=Quota({"cpu": 30.0}, {"cpu": 40.0}, {"cpu": 2.0}))
    root = Group("root", [eng, Leaf("ads", CPU, 4, tasks=ads)])
    return Hierarchy.from_tree({"cpu": 100.0}, root, sharing=Sharing(**options))


def test_leaves_keep_their_quotas() -> None:
    flat = flattened(tree(), allocate(tree()).share)
    assert flat.quota_of(1) == {"guarantee": {"cpu": 20}, "limit": {"cpu": 35}}
    # No leaf has more than its group may hold.
    assert flat.quota_of(2) == {"limit": {"cpu": 40}}
    assert flat.quota_of(3) == {}
    assert flat.quotas is not None
    assert flat.quotas.surplus == "total"
    assert lost_when_flat(tree()) == [
        "lost without groups: the guarantee of eng (30 cpu)",
        "lost without groups: the limit of eng (40 cpu), which each of its leaves keeps, but not "
        "all together",
        "lost without groups: the reserve of eng (2 cpu)",
        "lost without groups: the priority of eng/test (1)",
    ]


def test_nothing_is_lost_without_quotas_of_groups() -> None:
    plain = Hierarchy.from_tree(
        {"cpu": 9.0}, Group("root", [Group("g", [Leaf("a", CPU, quota=Quota(limit={"cpu": 3.0}))])])
    )
    assert lost_when_flat(plain) == []
    assert flattened(plain, np.ones(1)).quota_of(1) == {"limit": {"cpu": 3}}


def test_dropped_limits_follow_their_queues() -> None:
    limits = (
        DroppedLimit("*", "most", "1"), DroppedLimit("root", "most", "2"),
        DroppedLimit("eng", "apps", "3"), DroppedLimit("eng/dev", "apps", "4"),
    )  # fmt: skip
    flat = flattened(replace(tree(), dropped_limits=limits), np.ones(3))
    assert [str(limit) for limit in flat.dropped_limits] == [
        "*: most = 1", "root: most = 2", "root: apps of eng = 3", "eng-dev: apps = 4",
    ]  # fmt: skip


@pytest.mark.parametrize(("ads", "told"), [(45, True), (60, False)])
def test_the_command_says_what_is_lost(ads: float, told: bool, tmp_path: Path, capsys) -> None:
    path = tmp_path / "tree.json"
    write_hierarchy(tree(ads, surplus="total"), path)
    words = ["fair", str(path), "--export", "yarn", "--flat", "-o", str(tmp_path / "f.xml")]
    assert run(words) == 0
    notes = capsys.readouterr().err
    assert "lost without groups: the limit of eng (40 cpu)" in notes
    # While ads leaves 15 idle, only the limit of eng holds dev and test back.
    assert ("even now" in notes) == told
    assert "<maxResources>vcores=35</maxResources>" in (tmp_path / "f.xml").read_text()


@st.composite
def leaves_with_quotas(draw: st.DrawFn) -> Hierarchy:
    def leaf(name: str) -> Leaf:
        least = draw(st.integers(0, 5))
        most = least + draw(st.integers(0, 60))
        return Leaf(
            name, CPU, draw(st.integers(1, 9)), draw(st.sampled_from([0.0, 3.0, 50.0, np.inf])),
            quota=Quota({"cpu": least}, {"cpu": most} if draw(st.booleans()) else {}),
        )  # fmt: skip

    groups = [
        Group(f"g{k}", [leaf(f"l{i}") for i in range(draw(st.integers(1, 3)))], draw(weights))
        for k in range(draw(st.integers(1, 3)))
    ]
    sharing = Sharing(draw(st.sampled_from(["above", "total"])))
    return Hierarchy.from_tree({"cpu": 100.0}, Group("root", groups), sharing=sharing)


weights = st.integers(1, 5).map(float)


@settings(max_examples=100, deadline=None)
@given(leaves_with_quotas())
def test_with_quotas_of_leaves_only_the_allocation_stays(drawn: Hierarchy) -> None:
    share = allocate(drawn).share
    if share.any():
        assert allocate(flattened(drawn, share)).share == pytest.approx(share, abs=1e-9)
