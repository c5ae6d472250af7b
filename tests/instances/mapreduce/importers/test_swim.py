"""SWIM tables: small ones written here with their answers worked out, and the public ones."""

import gzip

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from slotwise.core.errors import InputError
from slotwise.instances.mapreduce.cluster import Rates
from slotwise.instances.mapreduce.importers.swim import read_swim
from slotwise.instances.mapreduce.instance_file import (
    instance_document,
    read_instance,
    write_instance,
)

MB = 10**6
# job, submit s, gap s, input MB, shuffle MB, output MB
ROWS = [
    ("full", 10, 10, 250, 50, 10),
    ("map-only", 30, 20, 100, 0, 80),
    ("unfed", 35, 5, 0, 20, 0),
    ("tiny", 95, 60, 1, 1, 0),
]
ROUND = {"nodes": 10, "block_mb": 100, "mb_per_reduce": 20}


def text_of(rows, extra=""):
    return "".join(
        "\t".join([name, str(submit), str(gap), *(str(mb * MB) for mb in sizes)]) + extra + "\n"
        for name, submit, gap, *sizes in rows
    )


@pytest.fixture
def load(tmp_path):
    """Write a table and import it; gives the instance and its notes as one text."""

    def load(table=ROWS, **options):
        path = tmp_path / "table.tsv"
        path.write_text(table if isinstance(table, str) else text_of(table))
        imported = read_swim(path, **ROUND | options)
        instance, notes = imported.made, imported.notes
        return instance, "\n".join(notes)

    return load


def test_tasks_of_a_job(load):
    # full: 250 MB in blocks of 100 are 3 maps; (50 + 10) / 20 = 3 reduces of 20 MB each.
    # map-only: one whole block. unfed: one map that reads nothing, 20 / 20 = 1 reduce.
    # tiny: 1 / 20 rounds to 0, yet something is shuffled: 1 reduce of 1 MB.
    instance, notes = load()
    assert instance.job_names == ("full", "map-only", "unfed", "tiny")
    assert instance.maps_of.tolist() == [3, 1, 1, 1]
    assert instance.input_mb.tolist() == [100, 100, 50, 100, 0, 1]
    assert instance.reduces_of.tolist() == [3, 0, 1, 1]
    # 3 s + MB / 10 MB/s
    assert instance.map_processing.tolist() == pytest.approx([13, 13, 8, 13, 3, 3.1])
    assert instance.reduce_processing.tolist() == pytest.approx([5, 5, 5, 5, 3.1])
    assert instance.output_ratio.tolist() == pytest.approx([0.2, 0, 0, 1])
    assert instance.history is None
    assert "the jobs arrived over 85 s" in notes
    assert "1 job without shuffle: no reduce task" in notes
    assert "1 job without input: one map task that reads nothing" in notes
    assert "1 job with shuffle but no input: the shuffle is lost (20 MB in all)" in notes


def test_rates_of_processing(load):
    instance, _ = load(startup=1, map_rate=50, reduce_rate=4)
    assert instance.map_processing.tolist() == pytest.approx([3, 3, 2, 3, 1, 1.02])
    assert instance.reduce_processing.tolist() == pytest.approx([6, 6, 6, 6, 1.25])


def test_scaling_by_machines(load):
    # 10 nodes for 40 machines: a quarter of the bytes. full reads 62.5 MB and leaves 12.5 + 2.5 MB,
    # of which 15 / 20 rounds to 1 reduce; the output ratio stays.
    instance, notes = load(trace_machines=40)
    assert instance.input_mb.tolist() == [62.5, 25, 0, 0.25]
    assert instance.reduces_of.tolist() == [1, 0, 1, 1]
    assert instance.reduce_processing[0] == pytest.approx(3 + 1.5)
    assert instance.output_ratio.tolist() == pytest.approx([0.2, 0, 0, 1])
    assert "the shuffle is lost (5 MB in all)" in notes


def test_half_a_reduce_task_rounds_up(load):
    # 30 / 20 = 1.5 becomes 2 and 50 / 20 = 2.5 becomes 3, as Java rounds.
    instance, _ = load([("a", 0, 0, 1, 30, 0), ("b", 0, 0, 1, 50, 0)])
    assert instance.reduces_of.tolist() == [2, 3]


def test_more_reduce_tasks_than_nodes_are_cut_as_in_swim(load):
    # 200 / 20 = 10 reduces fit 10 nodes; 220 / 20 = 11 do not: 10 // 5 = 2 of 110 MB. With 3 nodes
    # the fifth is below one.
    rows = [("a", 0, 0, 1, 200, 0), ("b", 0, 0, 1, 220, 0)]
    instance, notes = load(rows)
    assert instance.reduces_of.tolist() == [10, 2]
    assert instance.reduce_processing[-1] == pytest.approx(3 + 11)
    assert "1 job with more reduce tasks than nodes: each given nodes // 5 = 2" in notes
    assert load(rows, nodes=3)[0].reduces_of.tolist() == [1, 1]


def test_replicas_are_distinct_nodes_and_even(load):
    # 2000 blocks with 2 of 4 nodes: each of the 6 pairs is expected 333 times, deviation 17.
    instance, _ = load([("big", 0, 0, 200_000, 0, 0)], nodes=4, replicas=2, seed=3)
    pairs = np.sort(instance.replicas.reshape(-1, 2), axis=1)
    assert len(pairs) == 2000
    kinds, counts = np.unique(pairs, axis=0, return_counts=True)
    assert kinds.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    assert abs(counts - 2000 / 6).max() < 5 * 17


def test_replicas_follow_the_seed_and_skip_tasks_without_input(load):
    first, again, other = (load(seed=seed)[0] for seed in (1, 1, 2))
    assert np.diff(first.replica_offsets).tolist() == [3, 3, 3, 3, 0, 3]
    assert first.replicas.tolist() == again.replicas.tolist()
    assert first.replicas.tolist() != other.replicas.tolist()
    everywhere, _ = load(nodes=3, replicas=3)
    assert sorted(everywhere.replicas[:3].tolist()) == [0, 1, 2]


def test_cluster(load):
    rates = Rates(80, 40, 20)
    instance, _ = load(racks=2, map_slots=3, reduce_slots=4, rates=rates)
    assert instance.cluster.rack_of.tolist() == [0] * 5 + [1] * 5
    assert instance.cluster.map_slots.tolist() == [3] * 10
    assert instance.cluster.reduce_slots.tolist() == [4] * 10
    assert instance.cluster.rates == rates


def test_selection(load):
    assert load(jobs=(2, 3))[0].job_names == ("map-only", "unfed")
    assert load(jobs=(4, 99))[0].job_names == ("tiny",)
    assert load(window=(10, 35))[0].job_names == ("full", "map-only")
    assert load(jobs=(1, 3), window=(30, 1000))[0].job_names == ("map-only", "unfed")


def test_jobs_come_in_order_of_submission(load):
    assert load(ROWS[::-1])[0].job_names == ("full", "map-only", "unfed", "tiny")


@pytest.mark.parametrize("extra", ["", "\t/path/0", "\t/path/0\t\t", "\tin\tout", "\r", "\n"])
def test_columns_and_line_ends(load, extra):
    instance, _ = load(text_of(ROWS, extra))
    assert instance.maps_of.tolist() == [3, 1, 1, 1]


def test_source_and_name(load):
    instance, _ = load(seed=7)
    assert instance.name == "table"
    assert instance.source.startswith("SWIM table table.tsv, ")
    assert "block_mb 100.000000" in instance.source
    assert instance.source.endswith("seed 7")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a\t1\t1\t1\t1", "need 6 columns"),
        ("a 1 1 1 1 1", "need 6 columns"),
        ("a\t1\t1\t1\t1\t1\tin\tout\tmore", "need 6 columns"),
        ("\t1\t1\t1\t1\t1", "column 1 (job): is empty"),
        ("a\tx\t1\t1\t1\t1", "job 'a', column 2 (submit time): need a number >= 0"),
        ("a\t1\t\t1\t1\t1", "column 3 (gap)"),
        ("a\t1\t1\t-5\t1\t1", "column 4 (input bytes)"),
        ("a\t1\t1\t1\tnan\t1", "column 5 (shuffle bytes)"),
        ("a\t1\t1\t1\t1\t1e9", "column 6 (output bytes)"),
        ("a\t1\t1\t1\t1\t" + "9" * 19, "column 6 (output bytes)"),
        ("full\t1\t1\t1\t1\t1", "job 'full': is also on line 1"),
    ],
)
def test_bad_lines_are_refused(load, tmp_path, line, message):
    with pytest.raises(InputError) as refusal:
        load(text_of(ROWS[:1]) + line + "\n")
    assert message in str(refusal.value)
    assert str(tmp_path / "table.tsv:2") in str(refusal.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"nodes": 0}, "nodes"),
        ({"racks": 11}, "racks"),
        ({"map_slots": -1}, "map_slots"),
        ({"reduce_slots": 0}, "reduce slot"),
        ({"block_mb": 0}, "block_mb"),
        ({"mb_per_reduce": float("nan")}, "mb_per_reduce"),
        ({"map_rate": float("inf")}, "map_rate"),
        ({"reduce_rate": -1}, "reduce_rate"),
        ({"trace_machines": 0}, "trace_machines"),
        ({"startup": -1}, "startup"),
        ({"seed": -1}, "seed"),
        ({"replicas": 11}, "replicas"),
        ({"replicas": 0}, "replicas"),
        ({"jobs": (0, 3)}, "jobs"),
        ({"jobs": (3, 2)}, "jobs"),
        ({"jobs": (5, 9)}, "none of its 4 jobs"),
        ({"window": (5, 5)}, "window"),
        ({"window": (96, 99)}, "none of its 4 jobs"),
        ({"block_mb": 1e-5}, "take fewer jobs"),
        ({"block_mb": 1e-300}, "take fewer jobs"),
    ],
)
def test_bad_options_are_refused(load, options, message):
    with pytest.raises(InputError, match=message):
        load(**options)


def test_bad_files_are_refused(load, tmp_path):
    with pytest.raises(InputError, match="no job in the file"):
        load("\n\n")
    with pytest.raises(InputError, match="missing"):
        read_swim("missing.tsv", nodes=3)
    binary = tmp_path / "binary.tsv"
    binary.write_bytes(b"a\t\xff")
    with pytest.raises(InputError, match="not UTF-8"):
        read_swim(binary, nodes=3)
    cut = tmp_path / "cut.tsv.gz"
    cut.write_bytes(gzip.compress(text_of(ROWS).encode())[:-12])
    with pytest.raises(InputError, match="truncated"):
        read_swim(cut, nodes=3)


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    at=st.integers(0, 200),
    cut=st.integers(0, 20),
    put=st.text(alphabet="0123456789\t\n\r.-+eE_xj\x00é٣", max_size=6),
)
def test_a_mutilated_table_gives_an_instance_or_an_input_error(tmp_path, at, cut, put):
    text = text_of(ROWS)
    path = tmp_path / "mutilated.tsv"
    path.write_bytes((text[:at] + put + text[at + cut :]).encode())
    try:
        instance = read_swim(path, **ROUND).made
    except InputError:
        return
    assert instance.jobs >= 1
    assert (instance.maps_of >= 1).all()


def test_facebook_2009(traces):
    # 205 713 blocks of 128 MiB; 75.5 % of 5894 jobs shuffle nothing; 26.9 TB are read.
    table = traces / "swim" / "FB-2009_samples_24_times_1hr_0.tsv.gz"
    imported = read_swim(table, nodes=600, racks=20)
    instance, notes = imported.made, imported.notes
    assert (instance.jobs, instance.map_tasks) == (5894, 205_713)
    assert (instance.reduces_of == 0).mean() == pytest.approx(0.755, abs=0.0005)
    assert instance.input_mb.sum() / MB == pytest.approx(26.9, abs=0.05)
    shuffled = np.add.reduceat(instance.input_mb, instance.map_offsets[:-1]) * instance.output_ratio
    assert shuffled.sum() / MB == pytest.approx(22.2, abs=0.05)
    assert "86 jobs without input: one map task that reads nothing" in notes
    assert not any("lost" in note for note in notes)


def test_facebook_2010(traces):
    table = traces / "swim" / "FB-2010_samples_24_times_1hr_0.tsv.gz"
    with pytest.raises(InputError, match="take fewer jobs"):
        read_swim(table, nodes=3000)
    instance = read_swim(table, nodes=100, racks=4, trace_machines=3000).made
    assert instance.jobs == 24_442
    assert instance.input_mb.sum() / MB == pytest.approx(1082.6 / 30, abs=0.01)


def test_first_fifty_jobs(traces, tmp_path):
    folder = traces / "swim"
    fifty = read_swim(folder / "FB-2009_samples_24_times_1hr_0_first50jobs.tsv.gz", nodes=10).made
    cut = read_swim(
        folder / "FB-2009_samples_24_times_1hr_0.tsv.gz", nodes=10, jobs=(1, 50), name=fifty.name
    ).made
    assert fifty.jobs == 50
    assert instance_document(cut)["jobs"] == instance_document(fifty)["jobs"]
    write_instance(fifty, tmp_path / "fifty.json")
    assert instance_document(read_instance(tmp_path / "fifty.json")) == instance_document(fifty)
