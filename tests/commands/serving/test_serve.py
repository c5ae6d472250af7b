"""`slotwise serve`: what it answers, what it refuses, and that nothing answered is lost."""

import asyncio
import json
import random
import sqlite3
from copy import deepcopy

import pytest
from live_dispatchers import mixed, pair

from slotwise import Dispatcher
from slotwise.commands.app import run
from slotwise.commands.serving.journal import Journal
from slotwise.commands.serving.service import NotNow, Service

pytest.importorskip("starlette", reason="needs the extra `serve`")
pytest.importorskip("uvicorn", reason="needs the extra `serve`")

from slotwise.commands.serving import web

LOCAL = ((b"host", b"127.0.0.1:8080"),)


def service(plan=None, folder=None, policy="best-fit"):
    return Service(Journal(folder), Dispatcher(plan or pair(), policy=policy), policy)


class Client:
    """Calls the application without any socket."""

    def __init__(self, service, token=None, headers=LOCAL):
        self.application = web.application(service, token)
        self.headers = list(headers)
        self.runner = asyncio.Runner()

    def text(self, path):
        status, content = self.sent("GET", path)
        assert status == 200, content
        return content.decode()

    def __call__(self, *given):
        status, content = self.sent(*given)
        return status, json.loads(content)

    def sent(self, method, path, body=b"", headers=()):
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent = []
        scope = {
            "type": "http", "http_version": "1.1", "method": method, "scheme": "http",
            "path": path, "raw_path": path.encode(errors="replace"), "query_string": b"",
            "root_path": "", "headers": [*self.headers, *headers],
            "server": ("127.0.0.1", 8080), "client": ("127.0.0.1", 1),
        }  # fmt: skip

        async def receive():
            return {"type": "http.request", "body": content, "more_body": False}

        async def send(message):
            sent.append(message)

        self.runner.run(self.application(scope, receive, send))
        return sent[0]["status"], b"".join(part.get("body", b"") for part in sent[1:])

    def ok(self, *given):
        status, answer = self(*given)
        assert status == 200, answer
        return answer


def test_jobs_arrive_wait_start_and_depart():
    client = Client(service())
    half = {"id": "a/1", "class": "k"}
    assert client.ok("POST", "/v1/jobs", half) == {"id": "a/1", "machine": "c/0", "class": "k"}
    assert client.ok("POST", "/v1/jobs", {"id": "b", "demand": {"cpu": 0.9}})["machine"] == "c/1"
    assert client.ok("POST", "/v1/jobs", {"id": "d", "class": "k"})["machine"] == "c/0"
    assert client.ok("POST", "/v1/jobs", {"id": "e", "class": "k"})["machine"] is None
    shown = client.ok("GET", "/v1/jobs/e")
    assert shown.pop("why").startswith("k waits: none of 2 machines")
    assert shown == {"id": "e", "machine": None, "class": "k"}
    assert "least free" in client.ok("GET", "/v1/jobs/a/1")["why"]
    assert client.ok("GET", "/healthz") == {
        "ready": True,
        "machines": 2,
        "running": 3,
        "waiting": 1,
    }
    started = [{"id": "e", "machine": "c/0"}]
    assert client.ok("DELETE", "/v1/jobs/a/1") == {"id": "a/1", "started": started}
    assert client("DELETE", "/v1/jobs/a/1") == (404, {"error": "job 'a/1' is not there"})


def test_labels_say_which_class_a_job_belongs_to():
    plan = deepcopy(mixed(1))
    rule = {"label": "team", "value": "ml", "class": "l"}
    plan["datacenter"]["classifier"] = {"rules": [rule]}
    client = Client(service(plan))
    demand = {"cpu": 0.3, "mem": 0.2}  # what k needs

    def class_of(job, **more):
        scored = client.ok("POST", "/v1/score", more)["class"]
        assert client.ok("POST", "/v1/jobs", {"id": job, **more})["class"] == scored
        return scored

    assert class_of("a", demand=demand) == "k"
    assert class_of("b", demand=demand, labels={"team": "ml"}) == "l"
    assert class_of("c", labels={"team": "ml", "slotwise.dev/class": "o"}) == "o"
    assert class_of("d", **{"class": "k"}, labels={"team": "ml"}) == "k"


def test_machines_join_drain_and_leave_and_a_plan_is_followed():
    client = Client(service())
    client.ok("PUT", "/v1/machines/rack/7", {"configuration": "c", "capacity": {"cpu": 0.5}})
    scores = client.ok("POST", "/v1/score", {"class": "k"})["scores"]
    assert scores == {"c/0": 1.0, "c/1": 1.0, "rack/7": 0.5}
    asked = {"demand": {"cpu": 0.6}, "machines": ["c/1", "rack/7"]}
    assert client.ok("POST", "/v1/score", asked) == {"class": "k", "scores": {"c/1": 1.0}}
    assert client.ok("POST", "/v1/jobs", {"id": "a", "class": "k"})["machine"] == "rack/7"
    client.ok("POST", "/v1/machines/c/0/drain")
    assert client.ok("POST", "/v1/jobs", {"id": "b", "class": "k"})["machine"] == "c/1"
    client.ok("POST", "/v1/machines/c/0/undrain")
    left = client.ok("DELETE", "/v1/machines/rack/7")
    assert left["jobs"] == ["a"]
    assert left["started"] == [{"id": "a", "machine": "c/1"}]
    assert client.ok("PUT", "/v1/guidance", pair(3)) == {"started": []}
    assert client("PUT", "/v1/guidance", mixed(0))[0] == 400


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "message"),
    [
        ("POST", "/v1/jobs", b"", 400, "body: not JSON"),
        ("POST", "/v1/jobs", b"[" * 60000, 400, ""),
        ("POST", "/v1/jobs", b"[1]", 400, "body: need an object"),
        ("POST", "/v1/jobs", b"\xff{}", 400, ""),
        ("POST", "/v1/jobs", {"id": "a"}, 400, "class, demand: need one of them"),
        ("POST", "/v1/jobs", {"id": 7, "class": "k"}, 400, "id: need a valid string"),
        ("POST", "/v1/jobs", {"id": "x" * 201, "class": "k"}, 400, "id: "),
        ("POST", "/v1/jobs", {"id": "\ud800", "class": "k"}, 400, "body: "),
        ("POST", "/v1/jobs", {"id": "a", "class": "z"}, 400, "unknown class 'z'"),
        ("POST", "/v1/jobs", {"id": "a", "class": "k", "x": 1}, 400, "body: x: is not a field"),
        ("POST", "/v1/jobs", {"id": "a", "demand": {"cpu": "1"}}, 400, "cpu: need a valid number"),
        ("POST", "/v1/jobs", {"id": "a", "demand": {"cpu": True}}, 400, "cpu: need a valid number"),
        ("POST", "/v1/jobs", {"id": "a", "demand": {"cpu": 10**400}}, 400, ""),
        (
            "POST",
            "/v1/jobs",
            b'{"id": "a", "demand": {"cpu": NaN}}',
            400,
            "cpu: need a finite number",
        ),
        (
            "POST",
            "/v1/jobs",
            {"id": "a", "demand": {"cpu": 5}},
            400,
            "job 'a': cpu 5: larger than any machine",
        ),
        (
            "POST",
            "/v1/jobs",
            {"id": "a", "labels": {"a": 1}},
            400,
            "labels, a: need a valid string",
        ),
        ("POST", "/v1/jobs", {"id": "a", "labels": []}, 400, "labels: need an object"),
        ("POST", "/v1/jobs", {"id": "a", "labels": {"a": "b"}}, 400, "class, demand: need one of"),
        ("POST", "/v1/jobs", {"id": "a", "demand": [1]}, 400, "demand: need an object"),
        ("POST", "/v1/jobs", b" " * 70000, 413, "longer than 65536 bytes"),
        (
            "POST",
            "/v1/score",
            {"class": "k", "machines": "c/0"},
            400,
            "machines: need a valid array",
        ),
        ("POST", "/v1/score", {"class": "k", "machines": ["x"]}, 400, "unknown machine x"),
        ("POST", "/v1/score", {"labels": {"a": 1}}, 400, "labels, a: need a valid string"),
        ("POST", "/v1/score", {"labels": {"a": "b"}}, 400, "class, demand: need one of"),
        ("PUT", "/v1/machines/n", {}, 400, "configuration: is missing"),
        ("PUT", "/v1/machines/c/0", {"configuration": "c"}, 400, "'c/0' is there already"),
        ("DELETE", "/v1/machines/n", b"", 400, "unknown machine n"),
        ("PUT", "/v1/guidance", {"format": "slotwise/guidance/1"}, 400, "guidance: "),
        ("PUT", "/v1/guidance", {**pair(), "bins": 3}, 400, "guidance: bins"),
        ("GET", "/v1/jobs/none", b"", 404, "job 'none' is not there"),
        ("GET", "/none", b"", 404, "Not Found"),
        ("PUT", "/v1/jobs", b"", 405, "Method Not Allowed"),
        ("PATCH", "/v1/jobs", b"", 405, "Method Not Allowed"),
    ],
)
def test_a_bad_request_is_said_in_one_line_and_changes_nothing(method, path, body, status, message):
    one = service()
    before = one.dispatcher.state()
    code, answer = Client(one)(method, path, body)
    assert (code, list(answer)) == (status, ["error"])
    assert message in answer["error"]
    assert "\n" not in answer["error"]
    assert one.dispatcher.state() == before


def test_who_lacks_the_token_is_refused():
    token = "a" * 20
    client = Client(service(), token, [(b"host", b"cluster.example")])
    job = {"id": "a", "class": "k"}
    assert client("POST", "/v1/jobs", job)[0] == 401
    wrong = [(b"authorization", b"Bearer " + b"b" * 20)]
    assert client("POST", "/v1/jobs", job, wrong)[0] == 401
    right = [(b"authorization", f"Bearer {token}".encode())]
    assert client("POST", "/v1/jobs", job, right)[0] == 200
    assert client("GET", "/healthz")[0] == 200
    assert client("HEAD", "/healthz")[0] == 200


def test_metrics_and_documentation_tell_of_all_calls():
    client = Client(service())
    client.ok("POST", "/v1/jobs", {"id": "a", "class": "k"})
    assert client("POST", "/v1/jobs", {"id": "a", "class": "k"})[0] == 400
    text = client.text("/metrics")
    assert 'slotwise_answers_total{call="POST /v1/jobs",status="200"} 1.0' in text
    assert 'slotwise_answers_total{call="POST /v1/jobs",status="400"} 1.0' in text
    assert 'slotwise_answer_seconds_count{call="POST /v1/jobs"} 2.0' in text
    assert "slotwise_running 1.0" in text
    document = client.ok("GET", "/openapi.json")
    paths = document["paths"]
    assert {"/metrics", "/openapi.json", "/v1/guidance"} <= paths.keys()
    assert paths["/v1/machines/{name}"].keys() == {"put", "delete"}
    body = paths["/v1/jobs"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert body["required"] == ["id"]
    assert body["properties"].keys() == {"id", "class", "demand", "labels"}


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.0.0.5:80", True),
        ("localhost:8080", True),
        ("[::1]", True),
        ("[::1]:8080", True),
        ("localhost.example", False),
        ("127.0.0.1.example:8080", False),
        ("0.0.0.0:8080", False),
        ("", False),
    ],
)
def test_without_a_token_only_hosts_of_this_machine_are_answered(host, local):
    client = Client(service(), headers=[(b"host", host.encode())])
    assert (client("POST", "/v1/jobs", {"id": "a", "class": "k"})[0] == 200) == local


def test_without_a_token_pages_of_other_sites_are_refused():
    job = {"id": "a", "class": "k"}
    client = Client(service())
    assert client("POST", "/v1/jobs", job, [(b"origin", b"https://evil.example")])[0] == 403
    assert client("POST", "/v1/jobs", job)[0] == 200


@pytest.mark.parametrize("policy", ["bid-price", "lotes"])
def test_decisions_are_those_of_the_dispatcher_over_restarts(policy, tmp_path):
    draws = random.Random(2)
    alone = Dispatcher(mixed(0), policy=policy)
    one, running = service(mixed(0), tmp_path, policy), []
    for number in range(100):
        job, k = str(number), draws.choice("klo")
        need = {"cpu": draws.choice((0.2, 0.3)), "mem": draws.choice((0.1, 0.2))}
        placed = alone.arrive(job, k, need)
        assert one.arrive(job, k, need)["machine"] == (placed and placed.name)
        running.append(job)
        if len(running) > 8:
            ended = running.pop(draws.randrange(len(running)))
            started = [{"id": p.job, "machine": p.name} for p in alone.depart(ended)]
            assert one.depart(ended)["started"] == started
        if number % 40 == 39:
            reasons = [one.job(job)["why"] for job in running]
            one.journal.close()
            one = service(mixed(1), tmp_path, policy)  # goes on with the plan that it followed
            assert [one.job(job)["why"] for job in running] == reasons
        if number == 50:
            alone.follow(mixed(1))
            one.follow(one.dispatcher.prepare(mixed(1)))


def test_what_cannot_be_kept_is_not_done(tmp_path, monkeypatch):
    one = service(folder=tmp_path)
    one.arrive("a", "k", None)
    before = one.dispatcher.state()
    monkeypatch.setattr(Dispatcher, "depart", lambda self, job: self._jobs.clear() or 1 / 0)
    with pytest.raises(NotNow, match="not done: ZeroDivisionError"):
        one.depart("a")
    monkeypatch.undo()
    assert one.dispatcher.state() == before
    assert one.depart("a") == {"id": "a", "started": []}


def test_a_journal_that_fails_for_a_while_loses_nothing(tmp_path, monkeypatch):
    one = service(folder=tmp_path)
    client = Client(one)
    client.ok("POST", "/v1/jobs", {"id": "a", "class": "k"})

    def fail(*_):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Journal, "put", fail)
    for method, path, body in (
        ("DELETE", "/v1/jobs/a", b""),
        ("POST", "/v1/jobs", {"id": "b", "class": "k"}),
        ("POST", "/v1/machines/c/0/drain", b""),
    ):
        code, answer = client(method, path, body)
        assert (code, "disk is full" in answer["error"]) == (503, True)
        assert client.ok("GET", "/healthz")["running"] == 1
    monkeypatch.undo()
    assert client.ok("GET", "/v1/jobs/a")["machine"] == "c/0"
    assert client.ok("DELETE", "/v1/jobs/a")["started"] == []


def test_a_folder_serves_one_service(tmp_path, capsys):
    first = service(folder=tmp_path / "kept")
    (tmp_path / "plan.json").write_text(json.dumps(pair()))
    line = ["serve", str(tmp_path / "plan.json"), "--state", str(tmp_path / "kept"), "--port", "0"]
    assert run(line) == 2
    assert "database is locked" in capsys.readouterr().err
    first.journal.close()
    assert run(line) == 2  # the state was made with another policy
    assert "has policy best-fit, not bid-price" in capsys.readouterr().err


def test_other_addresses_need_a_token(tmp_path, capsys, monkeypatch):
    (tmp_path / "plan.json").write_text(json.dumps(pair()))
    (tmp_path / "short").write_text("secret")
    line = ["serve", str(tmp_path / "plan.json"), "--host", "0.0.0.0"]
    assert run(line) == 2
    assert "--host 0.0.0.0: needs --token-file" in capsys.readouterr().err
    assert run([*line, "--token-file", str(tmp_path / "short")]) == 2
    assert "need a token of at least 16" in capsys.readouterr().err
    (tmp_path / "long").write_text("s" * 20)
    line += ["--token-file", str(tmp_path / "long")]
    assert run(line) == 2
    assert "needs --tls-cert and --tls-key, or --behind-proxy" in capsys.readouterr().err
    assert run([*line, "--tls-cert", str(tmp_path / "plan.json")]) == 2
    assert "need both or none" in capsys.readouterr().err
    pem = [f"--tls-{part}={tmp_path / 'plan.json'}" for part in ("cert", "key")]
    assert run([*line, *pem]) == 2
    assert "--tls-cert" in capsys.readouterr().err
    assert run([*line, "--behind-proxy", "--check"]) == 0
    monkeypatch.setattr("slotwise.commands.serving.serve.find_spec", lambda name: None)
    assert run(["serve", str(tmp_path / "plan.json")]) == 2
    assert "serve: needs prometheus_client, which is not installed: pip" in capsys.readouterr().err
