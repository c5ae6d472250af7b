"""Gantt charts as pages, opened in a browser that has no network."""

import json
from dataclasses import replace

import numpy as np
import pytest
from browser import DESK, PHONE, opened, sticks_out

from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask, SpeedFactors
from slotwise.instances.mapreduce.schedule import timed
from slotwise.instances.mapreduce.security import Outages, Security
from slotwise.reports.mapreduce.gantt.files import gantt_figure, write_gantt


def small():
    """Two jobs: five tasks, two setups (see `two_jobs` in test_gantt.py)."""
    a = Job("a", [MapTask(10, 100, ("n0",)), 20], [30], output_ratio=0.5)
    b = Job("</script><b>$x$&amp;", [5], [7])
    instance = Instance.from_jobs("small & <b>bold</b> $y$", Cluster.uniform(2), [a, b])
    slots = [np.array(k, dtype=np.int64) for k in ((0, 2, 1), (0, 0, 0), (0, 1), (0, 0))]
    return instance, timed(instance, *slots)


def large():
    """2 000 map tasks of 30 s with a setup of 1 s, and one task of 0.01 s at the very end."""
    nodes, jobs, tasks = 50, 40, 50
    cluster = Cluster.uniform(nodes, reduce_slots=0)
    work = [Job(f"j{j}", [MapTask(30, 30)] * tasks) for j in range(jobs)]
    instance = Instance.from_jobs("large", cluster, [*work, Job("short", [0.01])])
    slot = np.append(np.arange(jobs * tasks) % (2 * nodes), 7)
    none = np.zeros(0, dtype=np.int64)
    return instance, timed(instance, slot, np.arange(len(slot)), none, none)


def bars(tab):
    """How many tasks there are and how many were painted last."""
    tab.wait_for_timeout(60)
    found = tab.evaluate("({...document.body.dataset})")
    return int(found["bars"]), int(found["painted"])


def labels(tab):
    return json.loads(tab.evaluate("document.body.dataset.labels"))


def view(tab):
    return tab.evaluate("[gantt.view.x0, gantt.view.x1, gantt.view.y0, gantt.view.y1]")


def place(tab, time, y):
    """A point of the chart in the window."""
    box = tab.locator("#chart").bounding_box()
    x, y = tab.evaluate(f"[gantt.toX({time}), gantt.toY({y})]")
    return box["x"] + x, box["y"] + y


def hover(tab, time, y):
    """What the page tells of a place, line by line; None if nothing is there."""
    tab.mouse.move(*place(tab, time, y))
    tip = tab.locator("#hover")
    return tip.inner_text().split("\n") if tip.is_visible() else None


def colours(tab, from_, to, y):
    """The colours painted between two times, five pixels above and below a height."""
    return tab.evaluate(
        f"""(() => {{
            const copy = document.createElement("canvas");
            copy.width = gantt.canvas.width; copy.height = gantt.canvas.height;
            const pen = copy.getContext("2d", {{willReadFrequently: true}});
            pen.drawImage(gantt.canvas, 0, 0);
            const left = Math.round(gantt.toX({from_}));
            const wide = Math.round(gantt.toX({to})) - left, top = Math.round(gantt.toY({y})) - 5;
            const found = pen.getImageData(left, top, wide, 10).data, seen = new Set();
            for (let k = 0; k < found.length; k += 4) seen.add(found.slice(k, k + 3).join(' '));
            return [...seen];
        }})()"""
    )


def test_a_small_page_draws_every_bar_and_fits_a_phone(chromium, tmp_path):
    page = tmp_path / "g.html"
    write_gantt(*small(), page, lower_bound=40.0, bound_name="LB2")
    assert page.stat().st_size < 60_000
    for width, dark in ((PHONE, True), (DESK, False)):
        with opened(chromium, page, width, dark=dark) as tab:
            assert bars(tab) == (5, 5)
            assert not sticks_out(tab)
            assert labels(tab) == ["n0  map 0", "map 1", "reduce", "n1  map 0", "map 1", "reduce"]
            key = tab.locator(".key").inner_text()
            assert "map slots" in key
            assert "reduce slots" in key
            assert "encryption" not in key


@pytest.mark.parametrize("jobs", [0, 2000])
def test_pages_with_no_job_and_with_more_than_a_legend_holds(jobs, chromium, tmp_path):
    page = tmp_path / "g.html"
    instance = Instance.from_jobs("n", Cluster.uniform(2), [Job(f"j{j}", [1]) for j in range(jobs)])
    slot, none = np.arange(jobs) % 4, np.zeros(0, dtype=np.int64)
    write_gantt(instance, timed(instance, slot, slot, none, none), page)
    with opened(chromium, page) as tab:
        assert bars(tab) == (jobs, jobs)
        assert tab.locator("#jobs button").count() == 0
        if jobs:
            tab.fill("#jobs input", "j7")
            assert bars(tab) == (jobs, 1)
            tab.click("#all")
            assert bars(tab) == (jobs, jobs)


def test_a_crowded_cluster_leaves_the_chart_its_room(chromium, tmp_path):
    page = tmp_path / "g.html"
    names = [f"rack-{k % 9}-with-a-long-name-{k}" for k in range(1545)]
    ones = np.ones(1545, dtype=np.int64)
    cluster = Cluster(tuple(names), ("r",), 0 * ones, ones, 0 * ones)
    instance = Instance.from_jobs("wide", cluster, [Job("j", [5.0] * 1545, [])])
    slot, none = np.arange(1545), np.zeros(0, dtype=np.int64)
    write_gantt(instance, timed(instance, slot, slot, none, none), page)
    with opened(chromium, page, PHONE) as tab:
        assert tab.evaluate("gantt.frame.wide / innerWidth") > 0.6
        assert 5 < len(labels(tab)) < 60
        assert not sticks_out(tab)


def test_names_with_markup_are_shown_as_they_are(chromium, tmp_path):
    page = tmp_path / "g.html"
    write_gantt(*small(), page)
    name = "small & <b>bold</b> $y$"
    with opened(chromium, page) as tab:
        assert tab.title() == name
        assert tab.locator("h1").inner_text() == name
        assert tab.locator("#jobs button").all_inner_texts() == ["a", "</script><b>$x$&amp;"]


def test_hovering_tells_everything(chromium, tmp_path):
    page = tmp_path / "g.html"
    write_gantt(*small(), page)
    with opened(chromium, page) as tab:
        assert hover(tab, 35, 2.5) == [
            "a reduce task 0", "node n0, reduce slot 0", "start 20 s", "setup 0.5 s",
            "processing 30 s", "end 50.5 s",
        ]  # fmt: skip
        assert hover(tab, 55, 2.5) is None


def test_the_keyboard_alone_suffices(chromium, tmp_path):
    page = tmp_path / "g.html"
    write_gantt(*small(), page)
    with opened(chromium, page) as tab:
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement.id") == "chart"
        whole = view(tab)
        tab.keyboard.press("+")
        zoomed = view(tab)
        assert zoomed[1] - zoomed[0] == pytest.approx(0.7 * (whole[1] - whole[0]))
        tab.keyboard.press("ArrowRight")
        assert view(tab)[0] > zoomed[0]
        tab.keyboard.press("0")
        assert view(tab) == pytest.approx(whole)
        told = [tab.keyboard.press("n") or tab.inner_text("#told") for _ in range(5)]
        assert len(set(told)) == 5
        assert told[0].startswith("a map task 0, node n0, map slot 0, start 0 s")
        tab.keyboard.press("Tab")
        tab.keyboard.press("Enter")
        assert tab.locator("#jobs button").first.get_attribute("aria-pressed") == "false"
        assert bars(tab) == (5, 2)


def test_a_large_page_hides_zooms_and_tells(chromium, tmp_path):
    page = tmp_path / "g.html"
    instance, schedule = large()
    write_gantt(instance, schedule, page)
    with opened(chromium, page) as tab:
        assert bars(tab) == (2001, 2001)
        told = hover(tab, 15, 0.5)
        lines = ["j0 map task 0", "node n0, map slot 0", "start 0 s"]
        assert told == [*lines, "setup 1 s", "processing 30 s", "end 31 s"]
        short = hover(tab, schedule.makespan, 3 * 2.5 + 1.5)
        assert short[:3] == ["short map task 0", "node n3, map slot 1", "start 620 s"]
        assert hover(tab, 15, 2.25) is None
        assert 1 < len(labels(tab)) <= 50
        tab.fill("#jobs input", "j1")
        assert bars(tab) == (2001, 50)
        assert hover(tab, 15, 0.5) is None
        tab.fill("#jobs input", "")
        tab.evaluate("gantt.show(100, 101, 2.4, 5.05)")
        # Each of two slots runs one task then.
        assert bars(tab) == (2001, 2)
        assert labels(tab) == ["n1  map 0", "map 1"]
        tab.mouse.dblclick(*place(tab, 100.5, 3))
        before = view(tab)
        tab.mouse.wheel(0, -400)
        tab.wait_for_timeout(100)
        assert view(tab)[1] - view(tab)[0] < (before[1] - before[0]) / 1.5
        assert 0 < bars(tab)[1] < 2001


def secured():
    """2 000 map tasks: encryption of 6 s, transfer of 3 s, 15 s of processing; one slot is lost."""
    cluster = Cluster.uniform(50, reduce_slots=0)
    work = [Job(f"j{j}", [MapTask(30, 300)] * 50) for j in range(40)]
    levels = (np.arange(50)[:, None] != cluster.map_slot_node).astype(np.int8)
    instance = replace(
        Instance.from_jobs("secured", cluster, work),
        speed_factors=SpeedFactors(np.full((40, 100), 0.5), np.zeros((40, 0))),
        security=Security(np.ones((2000, 100), dtype=bool), levels, 100.0, 50.0),
        outages=Outages(np.arange(100) == 1, np.zeros(0, dtype=bool)),
    )
    slots = np.delete(np.arange(100), 1)
    slot, none = slots[np.arange(2000) % 99], np.zeros(0, dtype=np.int64)
    return instance, timed(instance, slot, np.arange(2000), none, none)


def test_encryption_lost_slots_and_jobs_have_their_own_colours(chromium, tmp_path):
    page = tmp_path / "g.html"
    write_gantt(*secured(), page)
    with opened(chromium, page) as tab:
        tab.evaluate("gantt.show(0, 24, -0.15, 2.15)")
        assert bars(tab)[1] == 1
        told = hover(tab, 4, 0.5)
        assert told[3:5] == [
            "setup 9 s (encryption 6 s, transfer 3 s)", "processing 15 s = 30 s × speed factor 0.5",
        ]  # fmt: skip
        key = tab.locator(".key").inner_text()
        assert all(word in key for word in ("hatched", "crossed", "lost slot"))
        assert labels(tab) == ["n0  map 0", "map 1 (lost)"]
        assert "184 188 194" in colours(tab, 1.5, 22.5, 1.5)
        # Job j0 is 68 1 84; 30 % white for encryption, 60 % for transfer, both under white lines.
        encryption, transfer = colours(tab, 0.5, 5.5, 0.5), colours(tab, 6.5, 8.5, 0.5)
        assert "124 77 135" in encryption
        assert "124 77 135" not in transfer
        assert "180 153 187" in transfer
        assert "180 153 187" not in encryption
        assert colours(tab, 15, 23, 0.3) == ["68 1 84"]


def test_a_notebook_shows_the_same_page(chromium, tmp_path):
    figure = gantt_figure(*small(), lower_bound=40.0)
    (tmp_path / "notebook.html").write_text(figure._repr_html_(), "utf-8")
    with opened(chromium, tmp_path / "notebook.html") as tab:
        cell = tab.frame_locator("iframe")
        assert bars(tab.frames[1]) == (5, 5)
        assert "bound 40 s" in cell.locator("header").inner_text()
        assert not tab.frames[1].evaluate(
            "document.documentElement.scrollHeight > document.documentElement.clientHeight"
        )
    assert repr(figure).startswith("GanttFigure(title='small & <b>bold</b> $y$', height=")
    figure.write_html(tmp_path / "own.html")
    write_gantt(*small(), tmp_path / "g.html", lower_bound=40.0)
    assert (tmp_path / "own.html").read_bytes() == (tmp_path / "g.html").read_bytes()
