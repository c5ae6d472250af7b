"""The live page of a service: what it is told, and what it makes of it in a browser."""

import base64
import socket
import threading
import time
from urllib.parse import quote

import pytest
from asgi_client import AsgiClient
from browser import DESK, PHONE, browser, sticks_out
from live_dispatchers import mixed, pair, plan_of

from slotwise import Configuration, Dispatcher, JobClass
from slotwise.commands.app import run
from slotwise.commands.serving.journal import Journal
from slotwise.commands.serving.senders import Guard
from slotwise.commands.serving.service import Service
from slotwise.heuristics.datacenter import overview as module
from slotwise.heuristics.datacenter.overview import machine_names, overview
from slotwise.report.datacenter.live_page import live_page

pytest.importorskip("starlette", reason="needs the extra `serve`")
pytest.importorskip("uvicorn", reason="needs the extra `serve`")

import uvicorn

from slotwise.commands.serving import web

MARKUP = '<img src=x onerror="document.title=0"><b>&amp;'


def served(plan=None, token=None):
    policy = "best-fit"
    made = Service(Journal(None), Dispatcher(plan or pair(), policy=policy), policy)
    return web.application(made, Guard(token, 1e6))


@pytest.fixture
def client():
    return AsgiClient(served())


def seen(dispatcher):
    *pauses, document = overview(dispatcher)
    assert pauses == [None] * len(pauses)
    return document


def column(text):
    return list(base64.b64decode(text))


def test_the_overview_by_hand():
    """Jobs of 0.5 and 0.3 of the first machine's cpu, 0.25 of the second's, which drains."""
    dispatcher = Dispatcher(pair(), policy="best-fit")
    for name, cpu in (("a", 0.5), ("b", 0.3), ("c", 0.25)):
        dispatcher.arrive(name, "k", {"cpu": cpu})
    dispatcher.drain("c/1")
    assert dispatcher.arrive("w", "k", {"cpu": 0.6}) is None
    found = seen(dispatcher)
    assert [column(one) for one in found["use"]] == [[160, 50]]
    assert column(found["marks"]) == [0, 1]
    assert found["resources"][0].pop("used") == pytest.approx(1.05)
    assert found["resources"][0].pop("capacity") == pytest.approx(2.0)
    assert (found["machines"], found["draining"], found["running"], found["waiting"]) == (
        2,
        1,
        3,
        1,
    )
    # The plan has two jobs of k on each of the two machines.
    assert found["classes"] == [{"name": "k", "runs": 3, "planned": 4, "waits": 1}]
    assert found["first"] == [{"id": "w", "class": "k", "demand": {"cpu": 0.6}}]


def test_full_machines_are_full_and_hold_no_more_of_nothing():
    """A machine of a joined one's own capacity of 0 has no use; a full one has all of it."""
    dispatcher = Dispatcher(mixed(0), policy="best-fit")
    dispatcher.join("m", {"cpu": 1.0, "mem": 0.0}, name="thin")
    dispatcher.arrive("a", "l", {"cpu": 1.0, "mem": 1.0})
    found = seen(dispatcher)
    names = machine_names(dispatcher)
    at = names["names"].index("thin")
    assert column(found["use"][1])[at] == 0
    assert max(column(found["use"][0])) == module.FULL
    assert names["layout"] == found["layout"]
    assert names["configurations"][names["configuration"][at]] == "m"
    dispatcher.leave("thin")
    assert seen(dispatcher)["layout"] != found["layout"]


def test_the_overview_is_bounded_and_lets_others_work(monkeypatch):
    monkeypatch.setattr(module, "MOST_MACHINES", 3)
    monkeypatch.setattr(module, "AT_ONCE", 2)
    dispatcher = Dispatcher(pair(5), policy="best-fit")
    for number in range(10 + module.MOST_JOBS + 7):
        dispatcher.arrive(str(number), "k", {"cpu": 0.5})
    *pauses, found = overview(dispatcher)
    assert len(pauses) == 2
    assert len(column(found["use"][0])) == len(column(found["marks"])) == 3
    assert len(machine_names(dispatcher)["names"]) == 3
    assert (found["machines"], found["running"]) == (5, 10)
    assert [job["id"] for job in found["first"]] == [str(10 + i) for i in range(module.MOST_JOBS)]


def test_what_changed_and_who_waits(client):
    for name in ("a", "b", "c", "d", "e"):
        assert client("POST", "/v1/jobs", {"id": name, "class": "k"}).status == 200
    time.sleep(0.02)
    client.ok("DELETE", "/v1/jobs/a")
    client.ok("POST", "/v1/jobs", {"id": "f", "class": "k"})
    client.ok("DELETE", "/v1/jobs/f")
    client.ok("POST", "/v1/machines/c/1/drain")
    client.ok("PUT", "/v1/machines/new", {"configuration": "c"})
    found = client.ok("GET", "/v1/live")
    recent = found["recent"]
    assert recent["counts"] == {"arrived": 6, "at once": 4, "done": 2}
    assert recent["waits"]["starts"] == 5
    assert recent["waits"]["longest"] >= 0.02
    assert recent["waits"]["mean"] == pytest.approx(recent["waits"]["longest"] / 5)
    assert recent["waits_by_class"] == {"k": recent["waits"]}
    lines = [(one["what"], one["job"], one["machine"]) for one in recent["changes"]]
    assert lines == [
        ("machine joins", "", "new"),
        ("drain", "", "c/1"),
        ("taken back", "f", ""),
        ("waits", "f", ""),
        ("starts", "e", "c/0"),
        ("done", "a", ""),
        ("waits", "e", ""),
        ("starts", "d", "c/1"),
        ("starts", "c", "c/1"),
        ("starts", "b", "c/0"),
        ("starts", "a", "c/0"),
    ]


def test_jobs_of_a_machine_that_left_wait_from_then_on(client):
    for name in ("a", "b", "c", "d"):
        client.ok("POST", "/v1/jobs", {"id": name, "class": "k"})
    client.ok("DELETE", "/v1/machines/c/0")
    found = client.ok("GET", "/v1/live")
    assert [job["id"] for job in found["first"]] == ["a", "b"]
    assert all(0 <= job["seconds"] < 60 for job in found["first"])
    client.ok("DELETE", "/v1/jobs/c")
    assert client.ok("GET", "/v1/live")["recent"]["waits"]["starts"] == 5


def test_a_machine_and_its_jobs(client):
    client.ok("POST", "/v1/jobs", {"id": "a", "class": "k"})
    found = client.ok("GET", "/v1/live/machines/c/0")
    assert (found["configuration"], found["running"], found["draining"]) == ("c", 1, False)
    assert found["classes"] == [{"name": "k", "runs": 1, "planned": 2}]
    assert found["jobs"] == [{"id": "a", "class": "k", "demand": {"cpu": 0.5}}]
    assert client("GET", "/v1/live/machines/z").status == 404


def test_many_pages_look_once(client, monkeypatch):
    looks = []
    monkeypatch.setattr(
        "slotwise.commands.serving.page.live.overview", lambda d: looks.append(d) or overview(d)
    )
    for _ in range(5):
        client.ok("GET", "/v1/live")
    assert len(looks) == 1


def test_everybody_gets_the_page_and_nothing_else():
    application = served(token="t" * 20)
    stranger = AsgiClient(application)
    answer = stranger("GET", "/")
    assert (answer.status, answer.content.decode()) == (200, live_page())
    assert answer.headers["cache-control"] == "no-store"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert "connect-src 'self'" in live_page()
    for path in ("/v1/live", "/v1/live/machines", "/v1/live/machines/c/0"):
        assert stranger("GET", path).status == 401
        AsgiClient(application, "t" * 20).ok("GET", path)


def test_a_datacenter_is_planned_first(capsys):
    assert run(["serve", "example:gpu-cluster", "--check"]) == 0
    said = capsys.readouterr()
    assert "gpu-cluster is a datacenter: planned for it, up to 14.18" in said.err
    assert said.out == "example:gpu-cluster: ready for 9 machines, policy bid-price\n"


class Running:
    """An application on a port of this machine, in a thread that makes it, too."""

    def __init__(self, make):
        self._make = make
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self):
        config = uvicorn.Config(self._make(), log_level="error", lifespan="off", ws="none")
        self._server = uvicorn.Server(config)
        self._server.run(sockets=[self._socket])

    def __enter__(self):
        self._thread.start()
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/"

    def __exit__(self, *_):
        self._server.should_exit = True
        self._thread.join(10)


@pytest.mark.parametrize(("width", "dark"), [(DESK, False), (PHONE, True)])
def test_the_page_in_a_browser(width, dark):
    """Names are markup, the token is asked for, and nobody but the service is asked."""
    plan = plan_of(
        [Configuration(MARKUP, 2, {"<i>cpu": 1.0})],
        [JobClass(f"k{MARKUP}", 1.0, 1.0, {"<i>cpu": 0.5})],
        ("<i>cpu",),
    )
    token = "secret-" + "t" * 20

    def filled():
        application = served(plan, token)
        client = AsgiClient(application, token)
        for number in range(5):
            job = {"id": f"{MARKUP}{number}", "class": f"k{MARKUP}"}
            client.ok("POST", "/v1/jobs", job)
        return application

    with browser() as chromium, Running(filled) as address:
        context = chromium.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
        )
        tab, asked, errors = context.new_page(), [], []
        tab.on("request", lambda one: asked.append(one.url))
        tab.on("pageerror", lambda one: errors.append(str(one)))
        tab.goto(address)
        tab.fill("#token", "wrong")
        tab.click("#ask button")
        tab.get_by_text("That is not the token.").wait_for()
        tab.fill("#token", token)
        tab.click("#ask button")
        tab.wait_for_selector("#first td")
        assert tab.inner_text("#first td") == f"{MARKUP}4"
        assert MARKUP in tab.inner_text("#changes")
        tab.focus("#scroller")
        tab.keyboard.press("ArrowRight")
        assert tab.inner_text("#machine").startswith(f"{MARKUP}/0: <i>cpu 100 %")
        tab.keyboard.press("Enter")
        tab.locator("#details", has_text="runs 2 of 2").wait_for()
        tab.fill("#find", "/1")
        assert tab.inner_text("#found") == "1 of 2"
        assert tab.query_selector_all("main img, main b, main #scroller i") == []
        assert tab.title() == "slotwise serve"
        assert not sticks_out(tab)
        context.close()
    assert errors == []
    assert all(url.startswith(address) for url in asked)
    assert not any(token in url or quote(token) in url for url in asked)
