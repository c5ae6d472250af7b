"""The public Rumen traces, read whole."""

from pathlib import Path

import numpy as np
import pytest

from slotwise.instances.importers import IMPORTERS
from slotwise.instances.mapreduce.importers.rumen import read_rumen
from slotwise.instances.mapreduce.instance_file import (
    instance_document,
    read_instance,
    write_instance,
)


def logged(traces: Path, folder: str, name: str) -> Path:
    return traces / "hadoop_rumen" / folder / f"{name}.json.gz"


def test_mumak(traces, tmp_path):
    imported = read_rumen(
        logged(traces, "mumak", "19-jobs.trace"), logged(traces, "mumak", "19-jobs.topology")
    )
    instance, notes = imported.made, imported.notes
    assert (instance.jobs, instance.map_tasks, instance.reduce_tasks) == (19, 8573, 3256)
    assert (instance.cluster.nodes, len(instance.cluster.rack_names)) == (1545, 41)
    assert set(instance.cluster.map_slots) == set(instance.cluster.reduce_slots) == {2}
    assert instance.maps_of[:6].tolist() == [20, 3, 131, 20, 35, 3204]
    text = "\n".join(notes)
    # Of 8573 maps 5650 and of 3256 reduces 2754 succeeded; 7067 maps have three replicas.
    assert "500 map tasks without a successful attempt: processing time taken as the trace" in text
    assert "2423 map tasks without a successful attempt: processing time taken as the job" in text
    assert "500 reduce tasks without a successful attempt" in text
    assert "5 jobs did not succeed" in text
    assert len(instance.replicas) == 3 * 7067
    assert "hosts of the trace not in the topology" not in text
    history = instance.history
    assert np.isfinite(history.map.end).sum() == 5650
    assert np.isfinite(history.reduce.end).sum() == 2754
    assert history.makespan == pytest.approx(7757.364)
    # Attempts: 9616 + 3380, of which 8404 count.
    assert any("4592 more attempts" in reason for reason in history.not_comparable)

    write_instance(instance, tmp_path / "mumak.json.gz")
    again = read_instance(tmp_path / "mumak.json.gz")
    assert instance_document(again) == instance_document(instance)

    alone = read_rumen(logged(traces, "mumak", "19-jobs.trace")).made
    assert "unknown" in alone.cluster.rack_names


def test_rumen_test_trace(traces):
    imported = read_rumen(
        logged(traces, "rumen_tests", "input-trace"),
        logged(traces, "rumen_tests", "input-topology"),
    )
    instance, notes = imported.made, imported.notes
    assert (instance.jobs, instance.map_tasks, instance.reduce_tasks) == (3, 154, 49)
    assert "1 job without tasks dropped (job_200904211745_0001)" in notes
    assert any(note.startswith("19 reduce tasks without a successful attempt") for note in notes)


@pytest.mark.parametrize(
    ("folder", "name", "jobs", "maps", "reduces", "nodes", "slots"),
    [
        ("gridmix_system", "trace_1m", 5, 42, 5, 8, (2, 1)),
        ("gridmix_system", "trace_3m", 12, 148, 18, 8, (2, 1)),
        ("gridmix_system", "trace_5m", 16, 240, 540, 8, (4, 2)),
        ("gridmix_system", "trace_10m", 29, 77, 184, 8, (4, 2)),
        ("gridmix_system", "2m_stream_trace", 5, 166, 5, 8, (4, 1)),
        ("gridmix_system", "3m_stream_trace", 9, 151, 36, 7, (4, 2)),
        ("sls", "2jobs2min-rumen-jh", 2, 192, 0, 4, (8, 1)),
    ],
)
def test_public_traces(traces, tmp_path, folder, name, jobs, maps, reduces, nodes, slots):
    imported = read_rumen(logged(traces, folder, name))
    instance, notes = imported.made, imported.notes
    assert (instance.jobs, instance.map_tasks, instance.reduce_tasks) == (jobs, maps, reduces)
    assert (instance.cluster.nodes, len(instance.cluster.rack_names)) == (nodes, 1)
    assert (instance.cluster.map_slots[0], instance.cluster.reduce_slots[0]) == slots
    assert len(notes) == 1  # every task succeeded: nothing to tell but the slots
    write_instance(instance, tmp_path / "again.json")
    assert instance_document(read_instance(tmp_path / "again.json")) == instance_document(instance)


def test_importers_are_registered():
    by_name = {entry.name: entry.load() for entry in IMPORTERS if entry.takes == "mapreduce"}
    assert by_name["rumen"] is read_rumen
    assert set(by_name) == {"rumen", "shop", "swim"}
