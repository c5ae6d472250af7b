"""Static Gantt charts, and what all kinds of chart say."""

import io
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from matplotlib import image
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text

from slotwise.core.errors import InputError
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.schedule import PhaseSchedule, Schedule, timed
from slotwise.instances.mapreduce.security import Outages, Security
from slotwise.reports.mapreduce.gantt.colours import job_colours
from slotwise.reports.mapreduce.gantt.files import draw_gantt, gantt_figure, write_gantt
from slotwise.reports.mapreduce.gantt.layout import MAP_TINT

SVG = "{http://www.w3.org/2000/svg}"
NONE = np.zeros(0, dtype=np.int64)


def array(*values):
    return np.array(values, dtype=np.int64)


def two_jobs():
    """Five tasks on two nodes; two of them have a setup.

    a's first map task reads 100 MB at 100 MB/s (1 s), and a's reduce task half of that from its own
    node (0.5 s). a's maps end at 11 and 20, so its reduce task runs from 20 to 20 + 0.5 + 30.
    """
    a = Job("a", [MapTask(10, 100, ("n0",)), 20], [30], output_ratio=0.5)
    b = Job("b", [5], [7])
    instance = Instance.from_jobs("two jobs", Cluster.uniform(2), [a, b])
    schedule = timed(instance, array(0, 2, 1), array(0, 0, 0), array(0, 1), array(0, 0))
    assert schedule.makespan == 50.5
    return instance, schedule


def secured(
    transfer_rate=100.0, levels=((0, 0, -1, 1, 1, 1), (1, 1, 0, 0, 1, 1), (1,) * 4 + (0, 0))
):
    """Two jobs on three nodes; slot 1 of node n0 and all of node n2 are lost.

    a's data is on n0. Its second map task runs on n1, to which data of n0 goes encrypted: 1000 MB
    at 50 MB/s (20 s) and then at 100 MB/s (10 s). b's data is on n1 and goes to n0 as it is: 5 s.
    """
    a = Job("a", [MapTask(10, 1000, ("n0",)), MapTask(20, 1000, ("n0",))], [30])
    b = Job("b", [MapTask(5, 500, ("n1",))])
    instance = Instance.from_jobs("secured", Cluster.uniform(3), [a, b])
    security = Security(np.ones((3, 6), dtype=bool), np.array(levels, np.int8), transfer_rate, 50.0)
    lost = Outages(np.array([0, 1, 0, 0, 1, 1], bool), np.array([0, 0, 1], bool))
    instance = replace(instance, security=security, outages=lost)
    return instance, timed(instance, array(0, 2, 0), array(0, 0, 1), array(0), array(0))


def spread(jobs, maps, reduces, nodes, *, seed=1, names="j{}", node_names=None):
    """Many tasks, dealt out to the slots in turn, with setups."""
    rng = np.random.default_rng(seed)
    cluster = Cluster.uniform(nodes)
    if node_names:
        cluster = Cluster(
            tuple(node_names.format(k) for k in range(nodes)), cluster.rack_names,
            cluster.rack_of, cluster.map_slots, cluster.reduce_slots,
        )  # fmt: skip
    instance = Instance.from_jobs(
        "spread",
        cluster,
        [
            Job(
                names.format(j),
                [MapTask(float(rng.integers(5, 60)), 200.0) for _ in range(maps)],
                rng.integers(5, 90, reduces).astype(float).tolist(),
                output_ratio=0.3,
            )
            for j in range(jobs)
        ],
    )
    map_slot = np.arange(instance.map_tasks) % (2 * nodes)
    reduce_slot = np.arange(instance.reduce_tasks) % nodes
    return instance, timed(instance, map_slot, instance.map_job, reduce_slot, instance.reduce_job)


def encrypted(instance, schedule):
    """The same with data that comes encrypted from outside; the last node is lost."""
    cluster = instance.cluster
    slots = len(cluster.map_slot_node)
    levels = (np.arange(cluster.nodes)[:, None] != cluster.map_slot_node).astype(np.int8)
    instance = replace(
        instance,
        security=Security(np.ones((instance.map_tasks, slots), dtype=bool), levels),
        outages=Outages.of_nodes(cluster, [cluster.nodes - 1]),
    )
    maps, reduces = schedule.map.slot, schedule.reduce.slot
    return instance, timed(
        instance, maps % (slots - 2), instance.map_job,
        np.minimum(reduces, cluster.nodes - 2), instance.reduce_job,
    )  # fmt: skip


def texts_of(ax):
    return [text.get_text() for text in ax.texts]


def spans_of(ax, name):
    collection = next(c for c in ax.collections if c.get_gid() == name)
    boxes = [path.get_extents() for path in collection.get_paths()]
    return [tuple(np.round((box.x0, box.x1, box.y0, box.y1), 6)) for box in boxes]


def shapes_in_svg(path):
    """Number of shapes drawn in each named group."""
    groups = {group.get("id"): group for group in ET.parse(path).iter(f"{SVG}g")}
    return {
        name: len(groups[name].findall(f".//{SVG}path")) if name in groups else 0
        for name in ("setup", "processing", "map-rows", "reduce-rows", "makespan", "bound")
    }


def test_png_shows_both_jobs_and_a_lighter_setup(tmp_path):
    instance, schedule = two_jobs()
    write_gantt(instance, schedule, tmp_path / "g.PNG")
    assert (tmp_path / "g.PNG").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    pixels = image.imread(tmp_path / "g.PNG", format="png")[..., :3]
    assert pixels.shape[1] > 1500
    assert pixels.shape[0] > 400

    def area(colour):
        return int((np.abs(pixels - np.array(to_rgb(colour))).max(axis=2) < 0.01).sum())

    # a processes for 60 s, b for 12 s; the legend and the frame around bars blur the ratio.
    assert 4 < area("#0072b2") / area("#e69f00") < 6
    assert area("#99c7e0") > 50  # a's setups: 40 % of its colour


def test_bars_lie_where_the_schedule_says():
    instance, schedule = two_jobs()
    ax = draw_gantt(instance, schedule, Figure(figsize=(12, 4)).add_subplot())
    # Rows 0, 1, 2 are n0's; n1's follow after half a row. Bars start 0.1 below the row's edge.
    assert spans_of(ax, "setup") == [(0, 1, 0.1, 0.9), (20, 20.5, 2.1, 2.9)]
    assert sorted(span[:3] for span in spans_of(ax, "processing")) == [
        (0, 5, 1.1), (0, 20, 3.6), (1, 11, 0.1), (5, 12, 5.6), (20.5, 50.5, 2.1),
    ]  # fmt: skip
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == ["n0  map 0", "map 1", "reduce", "n1  map 0", "map 1", "reduce"]


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_a_setup_is_encryption_then_transfer():
    ax = draw_gantt(*secured(), Figure(figsize=(12, 5)).add_subplot())
    # Three rows a node, half a row between nodes; a.1 is on the fourth row, b.0 on the first.
    assert spans_of(ax, "encryption") == [(0, 20, 3.6, 4.4)]
    assert spans_of(ax, "setup") == [(10, 15, 0.1, 0.9), (20, 30, 3.6, 4.4)]
    assert (30, 50, 3.6, 4.4) in spans_of(ax, "processing")
    assert legend_of(ax) == [
        "processing", "setup", "encryption", "lost slot", "map slots", "reduce slots", "makespan",
        "a", "b",
    ]  # fmt: skip
    hatches = {c.get_gid(): c.get_hatch() for c in ax.collections if c.get_gid()}
    assert len({hatches["encryption"], hatches["setup"], hatches["processing"]}) == 3


def test_lost_slots_are_grey_rows():
    ax = draw_gantt(*secured(), Figure(figsize=(12, 5)).add_subplot())
    # Map slot 1 of n0, then the three rows of n2 in one.
    assert [span[2:] for span in spans_of(ax, "lost-rows")] == [(1, 2), (7, 10)]
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "n0  map 0", "map 1 (lost)", "reduce", "n1  map 0", "map 1", "reduce",
        "n2  map 0 (lost)", "map 1 (lost)", "reduce (lost)",
    ]  # fmt: skip
    # Where rows have no room for labels, nodes tell.
    ax = draw_gantt(*secured(), Figure(figsize=(12, 1.4)).add_subplot())
    assert {label.get_text() for label in ax.get_yticklabels()} <= {
        "n0 (1 of 3 lost)", "n1", "n2 (lost)",
    }  # fmt: skip
    assert len(ax.get_yticks()) > 1


def test_charts_without_security_and_outages_do_not_mention_them():
    instance, schedule = two_jobs()
    for ax in (
        draw_gantt(instance, schedule, Figure(figsize=(12, 4)).add_subplot()),
        draw_gantt(
            replace(instance, outages=Outages(np.zeros(4, bool), np.zeros(2, bool))),
            schedule, Figure(figsize=(12, 4)).add_subplot(),
        ),
    ):  # fmt: skip
        assert legend_of(ax) == [
            "processing",
            "setup",
            "map slots",
            "reduce slots",
            "makespan",
            "a",
            "b",
        ]
        assert spans_of(ax, "lost-rows") == []
        assert "encryption" not in {c.get_gid() for c in ax.collections}


@pytest.mark.parametrize("rate", [100.0, 37.5, 49.0])
def test_transfers_as_they_are_show_no_encryption(rate):
    levels = np.where(np.repeat(np.eye(3), 2, axis=1), 0, 1)
    ax = draw_gantt(*secured(rate, levels), Figure(figsize=(12, 5)).add_subplot())
    assert legend_of(ax)[:3] == ["processing", "setup", "lost slot"]


@pytest.mark.parametrize(
    ("lower_bound", "bound", "marks", "summary"),
    [
        (None, "", ["makespan 50.5 s"], "makespan 50.5 s"),
        (
            40.4,
            "LB2",
            ["bound LB2 40.4 s", "makespan 50.5 s"],
            "makespan 50.5 s  |  lower bound 40.4 s by LB2  |  gap 25 %",
        ),
        (
            50.5 - 1e-9,
            "",
            ["makespan = bound 50.5 s (optimal)"],
            "makespan 50.5 s  |  lower bound 50.5 s  |  gap 0 %, optimal",
        ),
        (float("-inf"), "", ["makespan 50.5 s"], "makespan 50.5 s"),
    ],
)
def test_makespan_bound_and_gap_are_said_in_every_chart(lower_bound, bound, marks, summary):
    instance, schedule = two_jobs()
    ax = draw_gantt(
        instance, schedule, Figure(figsize=(12, 4)).add_subplot(),
        lower_bound=lower_bound, bound_name=bound, title="EFSS",
    )  # fmt: skip
    assert summary in texts_of(ax)
    assert ax.get_title(loc="left") == "EFSS"
    lines = {"makespan", "lower bound"}
    assert len(lines.intersection(legend_of(ax))) == len(marks)
    figure = gantt_figure(instance, schedule, lower_bound=lower_bound, bound_name=bound)
    (data,) = re.findall(r'id="gantt-data">(.*?)</script>', figure.html)
    assert [mark["label"] for mark in json.loads(data)["marks"]] == marks
    assert f"<h1>two jobs</h1>\n<p>{summary}</p>" in figure.html


def test_long_times_are_also_told_in_hours():
    instance = Instance.from_jobs("long", Cluster.uniform(1), [Job("a", [36_120.0])])
    schedule = timed(instance, array(0), array(0), NONE, NONE)
    ax = draw_gantt(instance, schedule, Figure(figsize=(12, 4)).add_subplot())
    assert "makespan 36\u202f120 s (10 h 2 min)" in texts_of(ax)


@pytest.mark.parametrize(
    ("chart", "lower_bound"),
    [
        (two_jobs, 50.0),
        (two_jobs, 0.5),
        (lambda: spread(4, 4, 1, 2), 100.0),
        (lambda: spread(24, 2, 1, 2, names="a job with a long name {}"), 30.0),
        (lambda: spread(10, 16, 4, 8, node_names="host-{}.rack.example.org"), 600.0),
        (lambda: spread(60, 10, 2, 40), 200.0),
        (lambda: spread(3, 5, 1, 100, names="$x_{}$"), 1.0),
        (secured, 40.0),
        (lambda: encrypted(*spread(24, 2, 1, 2)), 30.0),
        (lambda: encrypted(*spread(60, 10, 2, 40)), 200.0),
    ],
)
def test_no_text_overlaps_another(chart, lower_bound, tmp_path):
    from matplotlib import pyplot

    instance, schedule = chart()
    ax = draw_gantt(instance, schedule, lower_bound=lower_bound, bound_name="heads and tails")
    figure = ax.figure
    try:
        figure.canvas.draw()
        inside = ax.get_window_extent().padded(1)
        texts = [
            *ax.texts, ax.xaxis.label, *ax.get_legend().get_texts(), *ax.get_xticklabels(),
            *ax.get_yticklabels(),
        ]  # fmt: skip
        boxes = [
            (text.get_text(), Text.get_window_extent(text))  # without leaders
            for text in texts
            if text.get_text() and text.get_visible()
        ]
        assert len(boxes) > 8
        for (a, box_a), (b, box_b) in combinations(boxes, 2):
            across = min(box_a.x1, box_b.x1) - max(box_a.x0, box_b.x0)
            down = min(box_a.y1, box_b.y1) - max(box_a.y0, box_b.y0)
            assert across <= 0 or down <= 1, f"{a!r} and {b!r} overlap"
        for text in ax.texts:
            if "·" in text.get_text():
                box = text.get_window_extent()
                assert inside.contains(box.x0, box.y0)
                assert inside.contains(box.x1, box.y1)
    finally:
        pyplot.close(figure)


def test_crowded_charts_drop_labels():
    instance, schedule = spread(60, 10, 2, 40)
    ax = draw_gantt(instance, schedule, Figure(figsize=(12, 6)).add_subplot())
    assert not [text for text in texts_of(ax) if "·" in text]
    assert 1 < len(ax.get_yticks()) <= 40
    # Parts, grounds and the makespan; jobs have a colour scale.
    assert len(ax.get_legend().get_texts()) == 5


def test_map_only_and_empty_instances(tmp_path):
    maps_only = Instance.from_jobs(
        "maps only", Cluster.uniform(1, reduce_slots=0), [Job("a", [3, 0]), Job("b", [4])]
    )
    schedule = timed(maps_only, array(0, 0, 1), array(0, 1, 0), NONE, NONE)
    empty = Instance.from_jobs("empty", Cluster.uniform(2), [])
    nothing = timed(empty, NONE, NONE, NONE, NONE)
    for suffix in ("svg", "png", "html"):
        write_gantt(maps_only, schedule, tmp_path / f"maps.{suffix}", lower_bound=4.0)
        write_gantt(empty, nothing, tmp_path / f"empty.{suffix}", lower_bound=0.0)
    counts = shapes_in_svg(tmp_path / "maps.svg")
    assert (counts["setup"], counts["processing"], counts["reduce-rows"]) == (0, 3, 0)
    counts = shapes_in_svg(tmp_path / "empty.svg")
    assert (counts["setup"], counts["processing"], counts["map-rows"]) == (0, 0, 2)


def test_missing_tasks_are_left_out_and_counted(tmp_path):
    instance, schedule = two_jobs()
    unknown = np.full(2, np.nan)
    reduce = PhaseSchedule(array(-1, -1), unknown, unknown, unknown)
    partial = Schedule("two jobs", schedule.map, reduce, 20.0)
    write_gantt(instance, partial, tmp_path / "g.svg")
    assert shapes_in_svg(tmp_path / "g.svg")["processing"] == 3
    ax = draw_gantt(instance, partial, Figure().add_subplot())
    assert "makespan 20 s  |  2 tasks not scheduled" in texts_of(ax)


def test_same_schedule_gives_the_same_file(tmp_path):
    instance, schedule = two_jobs()
    for name in ("a", "b"):
        write_gantt(instance, schedule, tmp_path / f"{name}.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.parametrize("name", ["chart.gif", "chart", "chart.html.gz"])
def test_unknown_suffix(name, tmp_path):
    instance, schedule = two_jobs()
    with pytest.raises(InputError, match=r"ending in \.html, \.png, \.svg or \.pdf"):
        write_gantt(instance, schedule, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_schedule_of_another_instance():
    instance, schedule = two_jobs()
    other, _ = spread(2, 2, 1, 2)
    with pytest.raises(InputError, match="3 map tasks, instance 'spread' has 4"):
        draw_gantt(other, schedule)
    beyond = PhaseSchedule(array(0, 9, 1), schedule.map.start, schedule.map.setup, schedule.map.end)
    with pytest.raises(InputError, match="job 'a' map task 1 is on map slot 9, the cluster has 4"):
        gantt_figure(instance, Schedule("two jobs", beyond, schedule.reduce, 50.5))


def test_drawing_libraries_are_imported_when_needed():
    code = (
        "import sys, slotwise.reports.mapreduce.gantt.files;"
        "print([name for name in ('matplotlib',) if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_bars_below_a_pixel_keep_the_colour_of_their_job(tmp_path):
    """600 slots on 900 pixels, tasks of a tenth of a pixel: every colour is one of the chart's."""
    nodes, jobs = 300, 30
    work = [Job(f"j{j}", [0.05] * 600) for j in range(jobs)]
    instance = Instance.from_jobs(
        "fine", Cluster.uniform(nodes, reduce_slots=0), [*work, Job("z", [60])]
    )
    slot = np.append(np.arange(jobs * 600) % 600, 0)
    none = np.zeros(0, dtype=np.int64)
    schedule = timed(instance, slot, np.arange(len(slot)), none, none)
    figure = Figure(figsize=(9, 6), dpi=150)
    ax = draw_gantt(instance, schedule, figure.add_axes((0.2, 0.1, 0.7, 0.8)))
    stream = io.BytesIO()
    figure.savefig(stream, format="png")
    stream.seek(0)
    pixels = np.round(255 * image.imread(stream)[..., :3]).astype(int)
    box = ax.get_window_extent()
    high = pixels.shape[0]
    left = int(box.x0 + 0.004 / 1.016 * box.width) + 2
    first = pixels[high - int(box.y1) + 3 : high - int(box.y0) - 3, left : left + 12]
    known = [np.round(255 * np.array(to_rgb(c))) for c in [*job_colours(jobs + 1), MAP_TINT]]
    away = np.abs(first.reshape(-1, 1, 3) - np.array(known)).max(axis=2).min(axis=1)
    assert away.max() <= 1
    path = tmp_path / "many.svg"
    write_gantt(instance, schedule, path)
    assert path.stat().st_size < 2e6
