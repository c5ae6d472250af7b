"""Gantt charts as pages, opened in a browser that has no network."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.instance import Job, MapTask, SpeedFactors, job_instance
from slotwise.instances.mapreduce.schedule import timed
from slotwise.instances.mapreduce.security import Outages, Security
from slotwise.report.gantt.files import gantt_figure, write_gantt

NAMES = ("chromium", "chromium-browser", "google-chrome")


class Elements(HTMLParser):
    """All elements of a page with their attributes; what scripts say is not among them."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def with_class(self, name):
        return [e for e in self.found if name in (e[1].get("class") or "").split()]


@pytest.fixture(scope="module")
def browse(tmp_path_factory):
    """Open a page, run a script in it, and return its elements and what the script reported.

    The script may use `gd` (plotly's element), `pause(ms)` and `report(value)`.
    """
    browser = next(filter(None, map(shutil.which, NAMES)), None)
    if browser is None:
        pytest.skip(f"no browser to open the page in: none of {', '.join(NAMES)} is installed")

    def run(page, script=""):
        folder = tmp_path_factory.mktemp("browser")
        scripted = folder / "page.html"
        added = f"""<script>(async () => {{
            const gd = document.getElementById('gantt');
            const pause = ms => new Promise(done => setTimeout(done, ms));
            const report = value => {{ document.body.dataset.report = JSON.stringify(value); }};
            await pause(100);
            {script}
        }})()</script></body>"""
        scripted.write_text(page.read_text("utf-8").replace("</body>", added), "utf-8")
        done = subprocess.run(
            [
                browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                "--no-first-run", "--disable-background-networking", "--disable-component-update",
                "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND",
                f"--user-data-dir={folder / 'profile'}", "--enable-logging=stderr", "--v=0",
                "--window-size=1400,900", "--virtual-time-budget=10000", "--dump-dom",
                scripted.as_uri(),
            ],
            capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        assert complaints == []
        elements = Elements(done.stdout)
        body = next(attributes for tag, attributes in elements.found if tag == "body")
        return elements, body, json.loads(body.get("data-report", "null"))

    return run


def small():
    """Two jobs: five tasks, two setups (see `two_jobs` in test_gantt.py)."""
    a = Job("a", [MapTask(10, 100, ("n0",)), 20], [30], output_ratio=0.5)
    b = Job("</script><b>$x$&amp;", [5], [7])
    instance = job_instance("small & <b>bold</b> $y$", Cluster.uniform(2), [a, b])
    slots = [np.array(k, dtype=np.int64) for k in ((0, 2, 1), (0, 0, 0), (0, 1), (0, 0))]
    return instance, timed(instance, *slots)


def large():
    """2 000 map tasks of 30 s with a setup of 1 s, and one task of 0.01 s at the very end."""
    nodes, jobs, tasks = 50, 40, 50
    cluster = Cluster.uniform(nodes, reduce_slots=0)
    work = [Job(f"j{j}", [MapTask(30, 30)] * tasks) for j in range(jobs)]
    instance = job_instance("large", cluster, [*work, Job("short", [0.01])])
    slot = np.append(np.arange(jobs * tasks) % (2 * nodes), 7)
    none = np.zeros(0, dtype=np.int64)
    return instance, timed(instance, slot, np.arange(len(slot)), none, none)


def test_small_page_draws_every_bar(browse, tmp_path):
    page = tmp_path / "g.html"
    write_gantt(page, *small(), lower_bound=40.0, bound="LB2")
    elements, body, _ = browse(page)
    assert len(elements.with_class("point")) == 5 + 2
    assert body["data-bars"] == "5"
    assert "data-painted" not in body


@pytest.mark.parametrize("jobs", [0, 2000])
def test_pages_with_no_job_and_with_more_than_a_legend_holds(jobs, browse, tmp_path):
    page = tmp_path / "g.html"
    instance = job_instance("n", Cluster.uniform(2), [Job(f"j{j}", [1]) for j in range(jobs)])
    slot, none = np.arange(jobs) % 4, np.zeros(0, dtype=np.int64)
    write_gantt(page, instance, timed(instance, slot, slot, none, none))
    elements, body, labels = browse(
        page, "report([...gd.querySelectorAll('.ytick text')].map(text => text.textContent));"
    )
    assert labels == ["n0  map 0", "map 1", "reduce", "n1  map 0", "map 1", "reduce"]
    assert elements.with_class("legendtext") == []
    assert (body["data-bars"], body.get("data-painted", "0")) == (str(jobs), str(jobs))


def test_page_needs_no_network(tmp_path):
    page = tmp_path / "g.html"
    write_gantt(page, *small())
    elements = Elements(page.read_text("utf-8"))
    links = [a.get(key) for _, a in elements.found for key in ("src", "href", "data", "action")]
    assert {link for link in links if link} == {"data:,"}
    assert not re.search(
        r"@import|url\(\s*['\"]?https?:", page.read_text("utf-8").split("<script")[0]
    )


def test_names_with_markup_are_shown_as_they_are(browse, tmp_path):
    page = tmp_path / "g.html"
    write_gantt(page, *small())
    _, _, shown = browse(
        page,
        """report([document.title, document.querySelector('h1').textContent,
                   ...[...gd.querySelectorAll('.legendtext')].map(text => text.textContent)]);""",
    )
    name = "small & <b>bold</b> $y$"
    assert shown == [name, name, "a", "</script><b>$x$&amp;"]


def test_hovering_a_small_chart_tells_everything(browse, tmp_path):
    page = tmp_path / "g.html"
    write_gantt(page, *small())
    _, _, shown = browse(
        page,
        """const box = gd.querySelector('.nsewdrag').getBoundingClientRect();
        const X = gd._fullLayout.xaxis, Y = gd._fullLayout.yaxis;
        gd.querySelector('.nsewdrag').dispatchEvent(new MouseEvent('mousemove', {bubbles: true,
            clientX: box.left + X.l2p(35), clientY: box.top + Y.l2p(2.5)}));
        await pause(500);
        report([...gd.querySelectorAll('.hovertext .nums .line')].map(line => line.textContent));
        """,
    )
    assert shown == [
        "a reduce task 0", "node n0, reduce slot 0", "start 20 s", "setup 0.5 s",
        "processing 30 s", "end 50.5 s",
    ]  # fmt: skip


def test_large_page_paints_hides_zooms_and_tells(browse, tmp_path):
    page = tmp_path / "g.html"
    instance, schedule = large()
    write_gantt(page, instance, schedule)
    assert page.stat().st_size < 15e6
    end = schedule.makespan
    elements, body, seen = browse(
        page,
        f"""const seen = {{all: document.body.dataset.painted}};
        const point = (time, y) => {{
            const box = gd.querySelector('.nsewdrag').getBoundingClientRect();
            const X = gd._fullLayout.xaxis, Y = gd._fullLayout.yaxis;
            gd.querySelector('.nsewdrag').dispatchEvent(new MouseEvent('mousemove', {{
                bubbles: true, clientX: box.left + X.l2p(time), clientY: box.top + Y.l2p(y)}}));
            const tip = document.getElementById('hover');
            return tip.hidden ? null : tip.textContent;
        }};
        seen.first = point(15, 0.5);
        seen.short = point({end}, 3 * 2.5 + 1.5);
        seen.gap = point(15, 2.25);
        seen.labels = gd.querySelectorAll('.ytick text').length;
        gd.querySelector('.legendtoggle').dispatchEvent(new MouseEvent('mousedown'));
        gd.querySelector('.legendtoggle').dispatchEvent(new MouseEvent('mouseup'));
        await pause(1000);
        seen.hidden = document.body.dataset.painted;
        seen.none = point(15, 0.5);
        await Plotly.relayout(gd, {{'xaxis.range': [100, 101], 'yaxis.range': [5.1, 2.4]}});
        await pause(300);
        seen.zoomed = document.body.dataset.painted;
        seen.rows = [...gd.querySelectorAll('.ytick text')].map(text => text.textContent);
        report(seen);""",
    )
    assert elements.with_class("point") == []
    assert body["data-bars"] == seen["all"] == "2001"
    lines = ["j0 map task 0", "node n0, map slot 0", "start 0 s"]
    assert seen["first"].split("\n") == [*lines, "setup 1 s", "processing 30 s", "end 31 s"]
    assert seen["short"].startswith("short map task 0\nnode n3, map slot 1\nstart 620 s")
    assert seen["gap"] is None
    assert 1 < seen["labels"] <= 50
    # Job j0 has 50 tasks and the first slot's first one; at 100 s each of two slots runs one task.
    assert (seen["hidden"], seen["none"], seen["zoomed"]) == ("1951", None, "2")
    assert seen["rows"] == ["n1  map 0", "map 1"]


def secured():
    """2 000 map tasks: encryption of 6 s, transfer of 3 s, 15 s of processing; one slot is lost."""
    cluster = Cluster.uniform(50, reduce_slots=0)
    work = [Job(f"j{j}", [MapTask(30, 300)] * 50) for j in range(40)]
    levels = (np.arange(50)[:, None] != cluster.map_slot_node).astype(np.int8)
    instance = replace(
        job_instance("secured", cluster, work),
        speed_factors=SpeedFactors(np.full((40, 100), 0.5), np.zeros((40, 0))),
        security=Security(np.ones((2000, 100), dtype=bool), levels, 100.0, 50.0),
        outages=Outages(np.arange(100) == 1, np.zeros(0, dtype=bool)),
    )
    slots = np.delete(np.arange(100), 1)
    slot, none = slots[np.arange(2000) % 99], np.zeros(0, dtype=np.int64)
    return instance, timed(instance, slot, np.arange(2000), none, none)


def test_large_page_paints_encryption_and_lost_slots(browse, tmp_path):
    page = tmp_path / "g.html"
    write_gantt(page, *secured())
    _, body, (told, title, rows, parts) = browse(
        page,
        """await Plotly.relayout(gd, {'xaxis.range': [0, 24], 'yaxis.range': [2.15, -0.15]});
        await pause(300);
        const box = gd.querySelector('.nsewdrag').getBoundingClientRect();
        const X = gd._fullLayout.xaxis, Y = gd._fullLayout.yaxis;
        gd.querySelector('.nsewdrag').dispatchEvent(new MouseEvent('mousemove', {
            bubbles: true, clientX: box.left + X.l2p(4), clientY: box.top + Y.l2p(0.5)}));
        const canvas = gd.querySelector('canvas'), wide = canvas.width;
        const pixels = canvas.getContext('2d').getImageData(0, 0, wide, canvas.height).data;
        const colours = (from, to, y) => {
            const seen = new Set(), row = Math.round(Y.l2p(y));
            for (let i = row - 5; i < row + 5; i++)
                for (let j = Math.round(X.l2p(from)); j < X.l2p(to); j++)
                    seen.add(pixels.slice(4 * (i * wide + j), 4 * (i * wide + j) + 3).join(' '));
            return [...seen];
        };
        report([document.getElementById('hover').textContent.split('\\n'),
                gd.querySelector('.legendtitletext').textContent,
                [...gd.querySelectorAll('.ytick text')].map(text => text.textContent),
                [colours(1, 23, 1.5), colours(0.5, 5.5, 0.5), colours(6.5, 8.5, 0.5),
                 colours(15, 23, 0.25)]]);""",
    )
    assert body["data-painted"] == "1"
    assert told[3:5] == [
        "setup 9 s (encryption 6 s, transfer 3 s)", "processing 15 s = 30 s × speed factor 0.5",
    ]  # fmt: skip
    assert "hatched: setupcrossed: encryptiongrey row: lost slot" in title
    assert rows == ["n0  map 0", "map 1 (lost)"]
    lost, encryption, transfer, processing = parts
    assert lost == ["184 188 194"]
    # Job j0 is 68 1 84; 30 % white for encryption, 60 % for transfer, both under white lines.
    assert "124 77 135" in encryption
    assert "124 77 135" not in transfer
    assert "180 153 187" in transfer
    assert "180 153 187" not in encryption
    assert processing == ["68 1 84"]


def test_wheel_zooms_while_it_turns(browse, tmp_path):
    page = tmp_path / "g.html"
    write_gantt(page, *large())
    _, _, (before, after) = browse(
        page,
        """const area = gd.querySelector('.nsewdrag'), box = area.getBoundingClientRect();
        const before = gd._fullLayout.xaxis.range[1] - gd._fullLayout.xaxis.range[0];
        for (let k = 0; k < 5; k++) area.dispatchEvent(new WheelEvent('wheel', {bubbles: true,
            cancelable: true, deltaY: -100, clientX: box.left + 300, clientY: box.top + 200}));
        await pause(50);
        const painted = +document.body.dataset.painted;
        const after = gd._fullLayout.xaxis.range[1] - gd._fullLayout.xaxis.range[0];
        report([[before, 2001], [after, painted]]);""",
    )
    assert after[0] < before[0] / 1.5
    assert 0 < after[1] < 2001


def test_figure_has_a_trace_per_job_and_kind():
    figure = gantt_figure(*small(), lower_bound=40.0)
    kinds = [(trace.legendgroup, trace.meta, len(trace.x)) for trace in figure.data]
    assert kinds == [
        ("0", "setup", 2), ("0", "processing", 3), ("1", "processing", 2),
    ]  # fmt: skip
    assert [trace.showlegend for trace in figure.data] == [False, True, True]
    assert figure.layout.legend.groupclick == "togglegroup"
    assert "setup 0.5 s<br>processing 30 s" in figure.data[1].hovertext[1]
