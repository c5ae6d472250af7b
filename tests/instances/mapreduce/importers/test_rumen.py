"""Rumen traces: small ones written here with their answers worked out."""

import gzip
import json

import numpy as np
import pytest
from rumen_jobs import H1, H2, H3, T0, attempt, job, map_task, read, reduce_task

from slotwise.instances.mapreduce.importers.rumen import read_rumen


def test_reading_is_taken_out_of_map_durations(load, topology):
    # 200 MB held by h1: 2 s to read on h1, 4 s on h2 (same rack), 8 s on h3. Of 10 s there remain
    # 8, 6 and 2 s; a 1 s task cannot have read for 2 s and keeps nothing.
    maps = [
        map_task(attempt(host, 0, seconds, **read(200)), replicas=[H1])
        for host, seconds in [("/" + H1, 10), ("/" + H2, 10), ("/" + H3, 10), ("/" + H1, 1)]
    ]
    instance, notes = load(job(maps=maps), topology=topology)
    assert instance.map_processing.tolist() == [8, 6, 2, 0]
    assert instance.input_mb.tolist() == [200] * 4
    assert instance.replicas.tolist() == [0, 0, 0, 0]
    assert "1 task took less than the modelled read" in notes


def test_input_without_replicas_is_read_from_outside(load):
    # 100 MB at the remote rate of 25 MB/s: 4 of the 10 s.
    instance, _ = load(job(maps=[map_task(attempt("/r/h", 0, 10, **read(100)))]))
    assert instance.map_processing.tolist() == [6]


def test_attempt_on_an_unknown_host_is_charged_the_least_read(load):
    # 200 MB at the node rate: 2 of 10 s.
    task = map_task(attempt(None, 0, 10, **read(200)), replicas=["r/h"])
    instance, _ = load(job(maps=[task]))
    assert instance.map_processing.tolist() == [8]
    assert instance.history.map.node.tolist() == [-1]


def test_reduce_processing_starts_when_the_shuffle_ends(load):
    # 5 to 30 s with the shuffle over at 20: 10 s. Without an end of the shuffle all 25 s count, and
    # no more than these if it ended before the attempt began.
    reduces = [
        reduce_task(attempt("/r/h", 5, 30, shuffled=20, sortFinished=T0 + 22_000)),
        reduce_task(attempt("/r/h", 5, 30)),
        reduce_task(attempt("/r/h", 5, 30, shuffled=4)),
    ]
    instance, notes = load(job(reduces=reduces))
    assert instance.reduce_processing.tolist() == [10, 25, 25]
    assert instance.map_tasks == 0
    assert "1 task without an end of the shuffle" in notes


def test_clock_that_runs_backwards_gives_zero(load):
    maps = [map_task(attempt("/r/h", 10, 9)), map_task(attempt("/r/h", 0, 5))]
    reduces = [reduce_task(attempt("/r/h", 10, 20, shuffled=21))]
    instance, notes = load(job(maps=maps, reduces=reduces))
    assert instance.map_processing.tolist() == [0, 5]
    assert instance.reduce_processing.tolist() == [0]
    assert "2 tasks ended before" in notes


def test_the_successful_attempt_counts_and_the_first_of_several(load):
    task = map_task(
        attempt("h2", 0, 50, "FAILED"),
        attempt("/r/h1", 60, 67),
        attempt("/r/h3", 80, 83),
        attempt("h2", 60, 90, "KILLED"),
    )
    instance, _ = load(job(maps=[task]))
    assert instance.map_processing.tolist() == [7]
    ran_on = instance.history.map.node[0]
    assert instance.cluster.node_names[ran_on] == "h1"
    assert "3 more attempts held slots" in instance.history.not_comparable[0]


def test_unfinished_tasks_get_the_median(load):
    # Job 1 measured 10, 2, 4 s: median 4. Job 2 measured nothing: the median of 2, 4, 10, 100 is 7.
    # No reduce task of the trace succeeded, so that of job 2 has no duration at all.
    jobs = [
        job(
            1,
            maps=[
                map_task(attempt("/r/h", 0, 10)),
                map_task(attempt("/r/h", 10, 12)),
                map_task(attempt("/r/h", 12, 16)),
                map_task(attempt("h", 0, 1, "FAILED")),
                map_task(),
            ],
        ),
        job(2, maps=[map_task(attempt("h", 0, 1, "KILLED"))], reduces=[reduce_task()]),
        job(3, maps=[map_task(attempt("/r/h", 0, 100))]),
    ]
    instance, notes = load(*jobs)
    assert instance.map_processing.tolist() == [10, 2, 4, 4, 4, 7, 100]
    assert instance.reduce_tasks == 0
    assert "2 map tasks without a successful attempt: processing time taken as the job's" in notes
    assert "1 map task without a successful attempt: processing time taken as the trace's" in notes
    assert "1 reduce task without a successful attempt: dropped" in notes
    assert np.isnan(instance.history.map.start).tolist() == [False] * 3 + [True] * 3 + [False]


def test_failed_jobs_are_kept(load):
    jobs = [
        job(1, maps=[map_task(attempt("/r/h", 0, 1))], outcome="FAILED"),
        job(2, maps=[map_task(attempt("/r/h", 1, 3))]),
    ]
    kept, notes = load(*jobs)
    assert kept.job_names == ("job_1", "job_2")
    assert "1 job did not succeed: kept" in notes
    assert any("did not succeed" in reason for reason in kept.history.not_comparable)


def test_unknown_input(load):
    # Job 1: the task's own field counts when the attempt does not tell; a task with replicas and no
    # number takes the median of 30 and 10 MB, one without replicas nothing. Job 2 tells nothing.
    silent = {"hdfsBytesRead": -1}
    maps = [
        map_task(attempt("/r/h", 0, 9, **read(30)), replicas=["r/h"], inputBytes=1),
        map_task(attempt("/r/h", 9, 18, **silent), replicas=["r/h"], inputBytes=10_000_000),
        map_task(attempt("/r/h", 18, 27, **silent), replicas=["r/h"], inputBytes=-1),
        map_task(attempt("/r/h", 27, 36, **silent)),
    ]
    other = job(2, maps=[map_task(attempt("/r/h", 0, 9, **silent), replicas=["r/h"])])
    instance, notes = load(job(maps=maps), other)
    assert instance.input_mb.tolist() == [30, 10, 20, 0, 0]
    assert "1 map task of unknown input: taken as the job's median" in notes
    assert "2 map tasks of unknown input: taken as 0 MB" in notes


def test_output_ratio(load):
    # 40 MB and 60 MB in, 10 MB and 40 MB out: 0.5. A third map task of 100 MB does not tell its
    # output. Alone it counts what was shuffled: by two of three reduce tasks 4 and 8 MB, so 18 MB.
    maps = [
        map_task(attempt("/r/h", 0, 9, **read(40, 10 * 10**6))),
        map_task(attempt("/r/h", 0, 9, **read(60, 40 * 10**6))),
        map_task(attempt("/r/h", 0, 9, **read(100))),
    ]
    reduces = [
        reduce_task(attempt("/r/h", 9, 12, shuffled=10, reduceShuffleBytes=number))
        for number in (4 * 10**6, -1, 8 * 10**6)
    ]
    instance, _ = load(job(maps=maps, reduces=reduces))
    assert instance.output_ratio.tolist() == pytest.approx([0.5])
    silent, _ = load(job(maps=maps[2:], reduces=reduces))
    assert silent.output_ratio.tolist() == pytest.approx([0.18])
    map_only, _ = load(job(maps=maps))
    assert map_only.output_ratio.tolist() == [0]


def test_lost_and_unknown_shuffles_are_told(load):
    reduces = [reduce_task(attempt("/r/h", 9, 12, shuffled=10))]
    sleep = job(1, maps=[map_task(attempt("/r/h", 0, 9, **read(0, 2 * 10**6)))], reduces=reduces)
    mute = job(2, maps=[map_task(attempt("/r/h", 0, 9, **read(5)))], reduces=reduces)
    instance, notes = load(sleep, mute)
    assert instance.output_ratio.tolist() == [0, 0]
    assert "1 job with map output but no known input: the shuffle is lost (2 MB in all)" in notes
    assert "1 job of unknown map output: no shuffle (job_2)" in notes


def test_hosts_in_every_spelling(load, topology):
    # h1 in two spellings and with escaped dots is one host of the topology; h4 has a rack only in
    # an attempt's location, h5 only in a replica, h6 nowhere; h3 is once said to be in rack 10.0.1.
    located = attempt("h4.example", 0, 1)
    located["location"] = {"layers": ["10\\.0\\.2", "h4\\.example"]}
    maps = [
        map_task(attempt("/10\\.0\\.1/h1\\.example", 0, 1)),
        map_task(attempt("h1\\.example", 1, 2), replicas=["10\\.0\\.9/h5\\.example"]),
        map_task(located),
        map_task(attempt("h6.example", 0, 1)),
        map_task(attempt("/10.0.1/h3.example", 0, 1)),
    ]
    instance, notes = load(job(maps=maps), topology=topology)
    cluster = instance.cluster
    racks = {
        host: cluster.rack_names[rack]
        for host, rack in zip(cluster.node_names, cluster.rack_of, strict=True)
    }
    assert racks == {
        "h1.example": "10.0.1",
        "h2.example": "10.0.1",
        "h3.example": "10.0.2",
        "h4.example": "10.0.2",
        "h5.example": "10.0.9",
        "h6.example": "unknown",
    }
    assert list(racks)[:3] == ["h1.example", "h2.example", "h3.example"]
    assert instance.history.map.node.tolist()[:2] == [0, 0]
    assert "3 hosts of the trace not in the topology" in notes
    assert "1 host of unknown rack" in notes
    assert "1 host with more than one rack: the first one counts (h3.example)" in notes


def test_hosts_outside_a_topology_go_by_rack_and_name(load):
    hosts = ["b/x", "a/z", "a/y", "b/w"]
    instance, _ = load(job(maps=[map_task(attempt(f"/{host}", 0, 1)) for host in hosts]))
    assert instance.cluster.node_names == ("y", "z", "w", "x")
    assert instance.cluster.rack_names == ("a", "b")


def test_slots_are_the_most_at_once_on_a_host(load):
    # On h: two maps at 0-10 and a failed one at 5-6 make three; the one from 10 takes over a slot.
    # Reduces overlap only on different hosts. A setup task on a map slot of g, an attempt of
    # unknown start and one that ended before it began change nothing.
    maps = [
        map_task(attempt("/r/h", 0, 10), attempt("h", 5, 6, "FAILED")),
        map_task(attempt("/r/h", 0, 10), attempt("h", None, 9, "FAILED")),
        map_task(attempt("/r/h", 10, 12), attempt("h", 13, 2, "FAILED")),
    ]
    reduces = [reduce_task(attempt("/r/h", 0, 9)), reduce_task(attempt("/r/g", 0, 9))]
    setup = map_task(attempt("/r/g", 0, 1), taskID="task_1_m_9", taskType="SETUP")
    instance, notes = load(job(maps=maps, reduces=reduces, otherTasks=[setup]))
    assert instance.cluster.map_slots.tolist() == [3, 3]
    assert instance.cluster.reduce_slots.tolist() == [1, 1]
    assert "the trace shows 3 and 1 at once" in notes
    fewer, notes = load(job(maps=maps, reduces=reduces), map_slots=2, reduce_slots=4)
    assert fewer.cluster.map_slots.tolist() == [2, 2]
    assert fewer.cluster.reduce_slots.tolist() == [4, 4]
    assert "slots" not in notes
    assert "hosts ran 3 map tasks at once; the model allows 2" in fewer.history.not_comparable


def test_history(load):
    # Submitted at 0 and 40 s; job 2 is over at 75 s. The reduce of job 1 starts at 12 s, before its
    # map ends at 15 s; the map of job 2 starts at 38 s, before its submission.
    one = job(
        1,
        maps=[map_task(attempt("/r/h", 5, 15, **read(10, 10**6)))],
        reduces=[reduce_task(attempt("/r/g", 12, 30, shuffled=16))],
        finish=32,
        otherTasks=[map_task(attempt("/r/h", 1, 2), taskType="SETUP")],
    )
    two = job(2, maps=[map_task(attempt("/r/g", 38, 70))], submit=40, finish=75)
    history = load(two, one)[0].history
    assert history.makespan == 75
    assert history.map.start.tolist() == [5, 38]
    assert history.map.end.tolist() == [15, 70]
    assert history.map.node.tolist() == [1, 0]  # g and h in the order of their names
    assert history.reduce.start.tolist() == [12]
    assert history.not_comparable == (
        "the jobs arrived over 40 s; the model has all at 0",
        "1 attempt of setup and cleanup held slots",
        "reduce tasks of 1 job began before the maps had ended",
        "clocks differ: 1 task began before its submission",
        "setups are modelled from the rates, not measured",
    )


def test_a_plain_run_has_nothing_against_it(load):
    history = load(job(maps=[map_task(attempt("/r/h", 1, 5))], finish=-1))[0].history
    assert history.makespan == 5
    assert history.not_comparable == ()


def test_without_submit_times_there_is_no_history(load):
    instance, _ = load(job(maps=[map_task(attempt("/r/h", 1, 5))], submitTime=-1))
    assert instance.history is None


def test_jobs_come_in_order_of_submission_and_once(load):
    def one(number, submit, **fields):
        return job(number, maps=[map_task(attempt("/r/h", 50, 51))], submit=submit, **fields)

    instance, notes = load(one(3, 30), one(7, 0, submitTime=None), one(1, 10), one(3, 5))
    assert instance.job_names == ("job_1", "job_3", "job_7")
    assert "1 job with the jobID of an earlier one left out (job_3)" in notes


def test_tasks_only_announced_are_told(load):
    one = job(1, maps=[map_task(attempt("/r/h", 0, 1))], totalMaps=1, totalReduces=2)
    more = job(2, reduces=[reduce_task(attempt("/r/h", 0, 1))], totalMaps=0, totalReduces=0)
    _, notes = load(one, more)
    assert "2 reduce tasks announced by a job but not listed" in notes
    assert "map task announced" not in notes


def test_nulls_and_unknown_fields_are_tolerated(load):
    task = map_task(attempt("/r/h", 0, 2), preferredLocations=None, numberMaps=-1)
    null = map_task(attempt("/r/h", 0, 4), replicas=["r/h"], inputBytes=None)
    null["preferredLocations"].append({"layers": None})
    instance, _ = load(
        job(maps=[task, null, {"attempts": None}], reduceTasks=None, otherTasks=None, queue="q")
    )
    assert instance.map_processing.tolist() == [2, 4, 3]


def test_every_way_of_putting_jobs_into_a_file(tmp_path):
    jobs = [job(k, maps=[map_task(attempt("/r/h", 0, k))]) for k in (1, 2)]
    texts = {
        "pretty.json": "\n".join(json.dumps(j, indent=2) for j in jobs),
        "adjacent.json": "".join(json.dumps(j) for j in jobs),
        "lines.json": "\n".join(json.dumps(j) for j in jobs) + "\n",
        "array.json": json.dumps(jobs),
        "marked.json": "\ufeff" + json.dumps(jobs),
    }
    for name, text in texts.items():
        plain, packed = tmp_path / name, tmp_path / f"{name}.gz"
        plain.write_text(text, encoding="utf-8")
        packed.write_bytes(gzip.compress(text.encode()))
        for path in (plain, packed):
            instance = read_rumen(path).made
            assert instance.map_processing.tolist() == [1, 2]
            assert instance.name == name.removesuffix(".json")


def test_source_names_files_without_folders(load, topology, tmp_path):
    instance, _ = load(job(maps=[map_task(attempt("/r/h", 0, 1))]), topology=topology)
    assert instance.source.startswith("Hadoop Rumen trace small.trace.json, topology topology.json")
    assert str(tmp_path) not in instance.source
    assert instance.name == "small"
