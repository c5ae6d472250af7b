"""Spark's pools, read."""

import pytest

from slotwise import InputError
from slotwise.heuristics.hierarchy.limits.schedulers import on_scheduler
from slotwise.instances.hierarchy.schedulers.spark_pools import read_spark_pools

POOLS = """<allocations>
  <pool name="production"><schedulingMode>FAIR</schedulingMode><weight>2</weight></pool>
  <pool name="test"><schedulingMode>FIFO</schedulingMode><minShare>30</minShare></pool>
</allocations>
"""


def test_pools(tmp_path):
    path = tmp_path / "fairscheduler.xml"
    path.write_text(POOLS)
    tree, notes = read_spark_pools(path, capacity={"slots": 90})
    nodes = on_scheduler(tree, "spark").document()["nodes"]
    # 90 for 2 : 1 : 1, but test at least 30: the other 60 are 40 and 20.
    assert {name: row["slots"] for name, row in nodes.items()} == pytest.approx(
        {"production": 40, "test": 30, "default": 20}
    )
    assert notes == [
        "within the pool, first come: test",
        "Spark adds the pool default, of weight 1",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (POOLS.replace("30", "-3"), "pool 'test', minShare: need a number >= 0, got '-3'"),
        (POOLS.replace('"test"', '"production"'), "'production': is there twice"),
        (POOLS.replace("FIFO", "LIFO"), "need FAIR or FIFO, got 'LIFO'"),
        ("<allocations/>", "no pool in it"),
    ],
)
def test_refused(tmp_path, text, message):
    path = tmp_path / "fairscheduler.xml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_spark_pools(path, capacity={"slots": 90})


def test_slots_are_needed(tmp_path):
    with pytest.raises(InputError, match="give slots=100 or so"):
        read_spark_pools(tmp_path / "x.xml", capacity={"cpu": 90})
