"""Importers of datacenter traces: small files by hand, and the real ones."""

import gzip
import io
import re
import tarfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from slotwise.core.arrays import FloatArray
from slotwise.core.errors import InputError
from slotwise.instances.datacenter.importers.google2011 import read_google
from slotwise.instances.datacenter.importers.job_classes import Machines, runnable, with_classes
from slotwise.instances.datacenter.importers.openb import read_openb
from slotwise.instances.datacenter.importers.pai import read_pai
from slotwise.instances.datacenter.job_file import JobTable, write_jobs
from slotwise.instances.datacenter.work import check_same_work, work_of_classes, work_of_jobs
from slotwise.instances.datacenter.workload import replay
from slotwise.instances.importer_options import ImportNotes
from slotwise.instances.importers import import_
from slotwise.solvers.datacenter.column_generation import generate_columns

NODES = """sn,cpu_milli,memory_mib,gpu,model
a,32000,65536,0,
b,8000,16384,2,T4
c,8000,16384,2,T4
d,8000,32768,2,T4
e,16000,32768,1,P100
"""
COLUMNS = (
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,"
    "creation_time,deletion_time,scheduled_time\n"
)
PODS = f"""{COLUMNS}p0,1000,1024,0,0,,LS,Running,50,3700,100
p1,3000,3072,0,0,,LS,Running,20,3800,200
p2,2000,4096,1,500,T4,BE,Failed,30,7230,30
p3,2000,4096,1,500,,BE,Pending,30,,
p4,2000,4096,4,1000,,BE,Running,30,90,40
p5,2000,4096,1,1000,P100|T4,BE,Running,40,40,40
"""


@pytest.fixture
def openb(tmp_path: Path) -> tuple[Path, Path]:
    nodes, pods = tmp_path / "nodes.csv", tmp_path / "pods.csv.gz"
    nodes.write_text(NODES)
    pods.write_bytes(gzip.compress(PODS.encode()))
    return nodes, pods


def test_openb_by_hand(openb: tuple[Path, Path]) -> None:
    imported = read_openb(*openb, classes=2)
    datacenter, jobs, label = imported.made, imported.jobs, imported.job_class
    assert datacenter.configurations == ("T4-8-16-2", "P100", "T4-8-32-2", "cpu")
    assert datacenter.count.tolist() == [2, 1, 1, 1]
    assert datacenter.capacity.tolist() == [[8, 16, 2], [16, 32, 1], [8, 32, 2], [32, 64, 0]]
    # p1 arrives first, then p2, then p0; they ran for 3600, 7200 and 3600 s.
    assert jobs.arrival.tolist() == [20, 30, 50]
    assert jobs.duration.tolist() == [3600, 7200, 3600]
    assert label[0] == label[2] != label[1]
    anywhere, on_t4 = label[0], label[1]
    assert datacenter.share[anywhere] == pytest.approx(2 / 3)
    assert datacenter.request[anywhere] == pytest.approx([2, 2, 0])
    assert datacenter.mean_time[anywhere] == pytest.approx([1, 1, 1, 1])
    assert datacenter.request[on_t4] == pytest.approx([2, 4, 0.5])
    assert datacenter.mean_time[on_t4].tolist() == [2, np.inf, 2, np.inf]
    # Standard deviations of 3, 2, 1 cores, of 3, 4, 1 GiB and of 0, 1/2, 0 GPUs.
    metric = (2 / 3) ** 0.5, (14 / 9) ** 0.5, (1 / 18) ** 0.5
    assert datacenter.classifier.metric == pytest.approx(metric)
    told = "\n".join(imported.notes)
    for words in ("1 pod never", "1 pod without a positive", "1 pod that no node could run"):
        assert words in told


def test_openb_window(openb: tuple[Path, Path]) -> None:
    jobs = read_openb(*openb, window=(20, 50)).jobs
    assert jobs.arrival.tolist() == [20, 30]
    with pytest.raises(InputError, match="no job arrives from 60 to 70 s"):
        read_openb(*openb, window=(60, 70))


@pytest.mark.parametrize(
    ("nodes", "pods", "message"),
    [
        (NODES.replace("model", "kind"), PODS, "column 'model' is missing"),
        (NODES.replace("32000", "x"), PODS, "line 2, cpu_milli: need a number >= 0, got 'x'"),
        (NODES.replace(",P100", ""), PODS, "line 6: 4 fields, need 5"),
        (NODES.splitlines()[0], PODS, "no nodes"),
        (NODES, PODS.replace("3700", "-1"), "line 2, deletion_time"),
        (NODES, PODS.splitlines()[0], "no pod that was scheduled and ended"),
        (NODES, "", "column 'name' is missing"),
    ],
)
def test_bad_openb_files(tmp_path: Path, nodes: str, pods: str, message: str) -> None:
    for name, text in (("nodes", nodes), ("pods", pods)):
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as error:
        read_openb(tmp_path / "nodes", tmp_path / "pods")
    assert message in str(error.value)


def test_pai_takes_classes_from_elsewhere(openb: tuple[Path, Path], tmp_path: Path) -> None:
    classes = read_openb(*openb, classes=2).made
    text = b"m1,T4,96,512,2\nm2,T4,96,512,2\nm3,CPU,96,512,0\n"
    archive = tmp_path / "spec.tar.gz"
    with tarfile.open(archive, "w:gz") as writer:
        member = tarfile.TarInfo("spec.csv")
        member.size = len(text)
        writer.addfile(member, io.BytesIO(text))
    datacenter, notes = read_pai(archive, classes)
    assert datacenter.configurations == ("T4", "CPU")
    assert datacenter.count.tolist() == [2, 1]
    assert datacenter.request.tolist() == classes.request.tolist()
    assert sorted(datacenter.mean_time[:, 1]) == pytest.approx([1, 2])
    assert any("bound to some configurations" in line for line in notes)
    plain = tmp_path / "spec.csv"
    plain.write_bytes(text)
    assert read_pai(plain, classes)[0].count.tolist() == [2, 1]
    plain.write_text("m1,T4,96,512\n")
    with pytest.raises(InputError, match="line 1: 4 fields, need 5"):
        read_pai(plain, classes)
    with pytest.raises(InputError, match="need cpu, memory, gpu"):
        read_pai(archive, replace(classes, resources=("a", "b", "c")))


MACHINES = """0,m1,0,platformA,0.5,0.5
0,m2,0,platformA,0.5,0.5
0,m3,0,platformB,1,1
0,m4,0,platformB,,
700000000,m2,1,platformA,0.5,0.5
800000000,m3,2,platformB,1,0.75
"""
TASKS = """600000000,,1,0,,0,u,2,9,0.1,0.05,0.001,0
600500000,,1,0,7,1,u,2,9,0.1,0.05,0.001,0
660500000,,1,0,7,4,u,2,9,0.1,0.05,0.001,0
610000000,,1,1,,0,u,2,9,0.2,0.05,0.001,0
611000000,,1,1,7,1,u,2,9,0.2,0.05,0.001,0
620000000,,1,1,7,2,u,2,9,0.2,0.05,0.001,0
621000000,,1,1,,0,u,2,9,0.2,0.05,0.001,0
630000000,,1,1,8,1,u,2,9,0.2,0.05,0.001,0
660000000,,1,1,8,4,u,2,9,0.2,0.05,0.001,0
0,2,2,0,,0,u,2,9,0.1,0.05,0.001,0
640000000,,2,0,7,4,u,2,9,0.1,0.05,0.001,0
650000000,,3,0,,0,u,2,9,0.1,0.05,0.001,0
651000000,,3,0,7,1,u,2,9,0.1,0.05,0.001,0
9223372036854775807,,4,0,7,1,u,2,9,0.1,0.05,0.001,0
650000000,,5,0,,0,u,2,9,,,,0
651000000,,5,0,7,1,u,2,9,,,,0
652000000,,5,0,7,4,u,2,9,,,,0
653000000,,6,0,,0,u,2,9,0.1,0.1,,0
654000000,,6,0,7,1,u,2,9,0.1,0.1,,0
655000000,,6,0,7,5,u,2,9,0.1,0.1,,0
653000000,,7,0,,0,u,2,9,0.1,1.1,,0
654000000,,7,0,7,1,u,2,9,0.1,1.1,,0
655000000,,7,0,7,4,u,2,9,0.1,1.1,,0
"""


def test_google_by_hand(tmp_path: Path) -> None:
    machines, tasks = tmp_path / "machines.csv.gz", tmp_path / "tasks.csv"
    header = "#time,machine ID,event type,platform ID,CPUs,Memory\n"
    machines.write_bytes(gzip.compress((header + MACHINES).encode()))
    tasks.write_text("# time,missing info,job ID\n" + TASKS)
    imported = read_google([machines], [tasks], classes=2)
    datacenter, jobs, notes = imported.made, imported.jobs, imported.notes
    assert datacenter.count.tolist() == [2, 1]
    assert datacenter.capacity.tolist() == [[0.5, 0.5], [1, 1]]
    # Task 1/0 runs for 60 s; 1/1 is evicted and then runs for 30 s, but arrived at its first try.
    assert jobs.arrival.tolist() == [600, 610]
    assert jobs.duration == pytest.approx([60, 30])
    assert sorted(datacenter.request[:, 0]) == [0.1, 0.2]
    told = "\n".join(notes)
    for words in (
        "1 task submitted before the trace",
        "1 task never finished",
        "2 tasks still there at the end",
        "1 task without a request",
        "1 task that no machine could run",
    ):
        assert words in told
    later = read_google([machines], [tasks], window=(605, 900)).made
    assert later.machines == 3
    tasks.write_text(re.sub("(?m)^6", "16", TASKS))  # a thousand seconds later
    after = read_google([machines], [tasks], window=(1600, 2000)).made
    # By then m2 has gone and m3 has lost a quarter of its memory.
    assert after.machines == 2
    assert [0.5, 0.5] in after.capacity.tolist()
    assert [1, 0.75] in after.capacity.tolist()


@pytest.mark.parametrize(
    ("machines", "tasks", "message"),
    [
        ("0,m1,0\n", TASKS, "line 1: 3 fields, need 6"),
        ("x,m1,0,p,1,1\n", TASKS, "line 1, time: need microseconds, got 'x'"),
        ("0,m1,0,p,,\n", TASKS, "no machine with a capacity"),
        (MACHINES, "1,2,3\n", "line 1: 3 fields, need 13"),
        (MACHINES, TASKS.replace("0.05", "-1", 1), "line 1, memory request"),
        (MACHINES, TASKS.splitlines()[0], "no task that was submitted and finished"),
    ],
)
def test_bad_google_files(tmp_path: Path, machines: str, tasks: str, message: str) -> None:
    for name, text in (("machines", machines), ("tasks", tasks)):
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as error:
        read_google([tmp_path / "machines"], [tmp_path / "tasks"])
    assert message in str(error.value)


ONE = Machines(("cpu",), ("m",), np.array([1]), np.array([[10.0]]))


def table(request: list[list[float]], duration: list[float]) -> JobTable:
    jobs = len(duration)
    return JobTable(
        arrival=np.arange(jobs, dtype=float),
        duration=np.array(duration),
        request=np.array(request, dtype=float),
        wants=np.zeros(jobs, dtype=np.int64),
        allowed=np.ones((1, 1), dtype=bool),
    )


def test_classes_are_as_many_as_the_jobs_need() -> None:
    notes = ImportNotes()
    # Two kinds of jobs, nothing between them: 1 cpu for 36 s, 4 cpu for an hour.
    jobs = table([[1.0]] * 30 + [[4.0]] * 10, [36.0] * 30 + [3600.0] * 10)
    datacenter, label = with_classes("two", ONE, jobs, notes)
    assert len(datacenter.classes) == 2
    small, large = label[0], label[-1]
    assert datacenter.share[[small, large]] == pytest.approx([0.75, 0.25])
    assert datacenter.mean_time[[small, large], 0] == pytest.approx([0.01, 1])
    assert datacenter.request[[small, large], 0] == pytest.approx([1, 4])
    idle = table([[0.0]] * 4 + [[4.0]] * 4, [36.0] * 4 + [3600.0] * 4)
    datacenter, label = with_classes("idle", ONE, idle, notes)
    assert datacenter.share.tolist() == [1.0]
    assert label.tolist() == [-1] * 4 + [0] * 4
    assert any("4 jobs ask for nothing" in line for line in notes.lines)


def test_a_class_holds_what_its_jobs_hold() -> None:
    """1 cpu for an hour and 3 for three hours: 10 cpu hours, 5 a job, where 2 × 2 would be 4."""
    notes = ImportNotes()
    jobs = table([[1.0], [3.0]], [3600.0, 3 * 3600.0])
    datacenter, label = with_classes("one", ONE, jobs, notes, classes=1)
    assert datacenter.mean_time.tolist() == [[2.0]]
    assert datacenter.request.tolist() == [[2.5]]
    assert work_of_classes(datacenter) == pytest.approx([5.0])
    assert notes.lines == ["1 class explains 0 % of the variance of requests and log durations"]
    check_same_work(datacenter, label, jobs.duration / 3600, jobs.request)


def test_groups_of_jobs_share_one_note() -> None:
    machines = Machines(("cpu",), ("m", "n"), np.array([1, 1]), np.array([[10.0], [10.0]]))
    jobs = replace(
        table([[1.0], [3.0], [1.0]], [3600.0, 7200.0, 3600.0]),
        wants=np.array([0, 0, 1]),
        allowed=np.array([[True, False], [True, True]]),
    )
    notes = ImportNotes()
    with_classes("two", machines, jobs, notes)
    # Two different jobs need two classes; the other group has one job, of which nothing varies.
    assert notes.lines == [
        "3 classes explain 100 % of the variance of requests and log durations, on average over 2 "
        "groups of jobs that may run on the same configurations (at least 100 %)"
    ]


@pytest.mark.parametrize("seed", range(20))
def test_no_work_is_lost_and_every_class_fits_a_machine(seed: int) -> None:
    rng = np.random.default_rng(seed)
    machines = Machines(
        ("a", "b"), ("flat", "tall"), np.array([2, 3]), np.array([[10.0, 1.0], [1.0, 10.0]])
    )
    jobs = table(rng.integers(0, 11, (40, 2)).tolist(), np.exp(rng.normal(5, 3, 40)).tolist())
    jobs = runnable(machines, replace(jobs, allowed=np.ones((1, 2), dtype=bool)), ImportNotes())
    datacenter, label = with_classes("both", machines, jobs, ImportNotes(), classes=seed % 4 + 1)
    check_same_work(datacenter, label, jobs.duration / 3600, jobs.request)
    known = np.bincount(label[label >= 0])
    assert datacenter.share == pytest.approx(known / known.sum())
    assert datacenter.fits.any(axis=1).all()
    for k, request in enumerate(datacenter.request):
        own = jobs.request[label == k]
        assert (own.min(axis=0) <= request + 1e-9).all()
        assert (request <= own.max(axis=0) + 1e-9).all()


def test_an_importer_that_takes_means_apart_is_refused() -> None:
    jobs = table([[1.0], [3.0]], [3600.0, 3 * 3600.0])
    made, label = with_classes("one", ONE, jobs, ImportNotes(), classes=1)
    assert import_(lambda: (made, jobs, label, [])).made is made
    with pytest.raises(InputError, match="one: a job holds 5 cpu × h on average, one of its class"):
        import_(lambda: (replace(made, request=np.array([[2.0]])), jobs, label, []))


def work_of(jobs: JobTable) -> FloatArray:
    work: FloatArray = (jobs.duration[:, None] / 3600 * jobs.request).mean(axis=0)
    return work


def test_the_real_traces(traces: Path, tmp_path: Path) -> None:
    folder = traces / "openb"
    nodes = folder / "openb_node_list_all_node.csv"
    imported = read_openb(nodes, folder / "openb_pod_list_default.csv.gz")
    datacenter, jobs, label = imported.made, imported.jobs, imported.job_class
    assert datacenter.machines == 1523
    assert len(datacenter.configurations) == 27
    assert datacenter.count[:3].tolist() == [549, 387, 129]
    assert jobs.jobs == 7255
    assert np.median(jobs.duration) == 616
    assert len(label) == jobs.jobs
    assert datacenter.fits.any(axis=1).all()
    # The pods hold 7.10 GPU hours each, so that 6212 GPUs carry 875.5 of them per hour.
    capacity, held = datacenter.count @ datacenter.capacity, work_of(jobs)
    assert capacity[2] / held[2] == pytest.approx(875.5, abs=0.2)
    assert work_of_classes(datacenter) == pytest.approx(held, rel=1e-9)
    write_jobs(tmp_path / "jobs.csv", datacenter, jobs, label)
    assert work_of_jobs(replay(datacenter, tmp_path / "jobs.csv")) == pytest.approx(held)
    # What a load of 1 asks for is there.
    assert (generate_columns(datacenter).bound * held <= capacity * (1 + 1e-9)).all()
    imported = read_openb(nodes, folder / "openb_pod_list_gpuspec33.csv.gz")
    constrained, others, notes = imported.made, imported.jobs, imported.notes
    assert work_of_classes(constrained) == pytest.approx(work_of(others), rel=1e-9)
    assert not any("-0" in line or "−0" in line for line in notes)
    assert not np.isfinite(constrained.mean_time).all()
    assert len(constrained.classes) <= 12 + 17
    specification = traces / "alibaba_pai2020" / "pai_machine_spec.tar.gz"
    pai, _ = read_pai(specification, datacenter)
    assert dict(zip(pai.configurations, pai.count.tolist(), strict=True))["P100"] == 798
    assert pai.machines == 1897
