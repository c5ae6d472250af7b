"""A service that follows the nodes and pods of an API server, a fake one."""

import asyncio
import random
import threading
import time
from contextlib import contextmanager, suppress

import pytest
from fake_api_server import FakeApi, node, pod, unschedulable
from live_dispatchers import plan_of

from slotwise import Configuration, Dispatcher, JobClass
from slotwise.commands.serving.journal import Journal
from slotwise.commands.serving.kubernetes.follow import Follower, api_of
from slotwise.commands.serving.kubernetes.options import KubernetesAsked
from slotwise.commands.serving.kubernetes.watch import Pauses
from slotwise.commands.serving.service import Service
from slotwise.core.errors import InputError
from slotwise.instances.datacenter.kubernetes.resources import KubernetesResources

pytest.importorskip("kubernetes", reason="needs the extra `kubernetes`")

SECONDS = 20


@pytest.fixture(scope="module")
def plan():
    """Small machines and large ones; j fits both, k only the large."""
    return plan_of(
        [Configuration("s", 4, {"cpu": 4.0}), Configuration("l", 4, {"cpu": 16.0})],
        [JobClass("j", 0.5, 1.0, {"cpu": 1.0}), JobClass("k", 0.5, {"l": 1.0}, {"cpu": 6.0})],
    )


@pytest.fixture
def api():
    server = FakeApi()
    yield server
    server.close()


def service_of(plan, folder=None):
    first = KubernetesAsked("here", ()).first(Dispatcher(plan, policy="best-fit"))
    return Service(Journal(folder), first, "best-fit")


class Running:
    """A follower in a thread of its own, as the service's."""

    def __init__(self, make, config):
        self.said, self._make, self._config = [], make, config
        self._ready = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self._run()))
        self.thread.start()
        self._ready.wait(SECONDS)

    async def _run(self):
        self.loop = asyncio.get_running_loop()
        self.service = self._make()
        self.follower = Follower(
            self.service, KubernetesResources.of(["cpu"]), api_of(self._config), self.said.append,
            pauses=lambda: Pauses(0.01, 0.05),
        )  # fmt: skip
        self.task = asyncio.create_task(self.follower.run())
        self._ready.set()
        with suppress(asyncio.CancelledError):
            await self.task
        self.service.journal.close()

    def stop(self):
        self.loop.call_soon_threadsafe(self.task.cancel)
        self.thread.join()

    def look(self):
        """Jobs by machine, and which machines drain, seen in the follower's thread."""
        done = asyncio.run_coroutine_threadsafe(self._state(), self.loop)
        return done.result(SECONDS)

    async def _state(self):
        machines = self.service.dispatcher.state()["machines"]
        self.offers = self.service.dispatcher.offers("j", {"cpu": 0.1})
        return {
            m.get("name"): (
                m["configuration"], m["draining"],
                {j["job"].removeprefix("default/"): j["class"] for j in m["jobs"]},
            ) for m in machines
        }  # fmt: skip

    def until(self, wanted):
        """Wait for a state, or for what a function says."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if wanted() if callable(wanted) else self.look() == wanted:
                return
            time.sleep(0.01)
        assert self.look() == wanted, (self.said, self.follower.state())


@contextmanager
def following(make, api, folder):
    running = Running(make, api.kubeconfig(folder / "kubeconfig"))
    try:
        yield running
    finally:
        running.stop()


def test_nodes_join_drain_and_leave_and_pods_are_placed_and_depart(plan, api, tmp_path):
    api.put("nodes", node("a", 4), node("b", 16), node("odd", 1))
    api.put("pods", pod("one", 1, "a"), pod("six", 6, "b"), pod("new", 1), pod("free", 0, "a"))
    api.put("pods", pod("done", 1, "a", phase="Succeeded"), pod("lost", 1, "nowhere"))
    with following(lambda: service_of(plan), api, tmp_path) as it:
        it.until({"a": ("s", False, {"one": "j"}), "b": ("l", False, {"six": "k"})})
        assert it.service.not_ready == ""
        assert "node odd has cpu 1: like no configuration" in it.said[0]
        assert list(it.follower.state()["left_out"]) == ["odd"]
        api.put("pods", pod("new", 1, "b"))  # kube-scheduler binds it
        api.put("pods", pod("one", 1, "a", phase="Failed"))
        api.put("nodes", node("nowhere", 4), node("a", 4, unschedulable=True))
        api.put("nodes", node("odd", 1, labels={"slotwise.dev/configuration": "s"}))
        it.until(
            {
                "a": ("s", True, {}),
                "b": ("l", False, {"six": "k", "new": "j"}),
                "nowhere": ("s", False, {"lost": "j"}),
                "odd": ("s", False, {}),
            }
        )
        api.delete("nodes", "b")
        api.delete("nodes", "odd")
        api.delete("pods", "lost")
        api.put("nodes", node("a", 4))
        it.until({"a": ("s", False, {}), "nowhere": ("s", False, {})})
        api.put("nodes", node("b", 16))  # its pods were never deleted
        it.until(
            {
                "a": ("s", False, {}),
                "nowhere": ("s", False, {}),
                "b": ("l", False, {"six": "k", "new": "j"}),
            }
        )


def test_labels_name_the_class_and_resized_nodes_and_pods_are_followed(plan, api, tmp_path):
    label = {"slotwise.dev/class": "k"}
    api.put("nodes", node("b", 16), node("a", 4))
    api.put("pods", pod("x", 1, "b", labels=label), pod("y", 1, "a", labels=label))
    api.put("pods", pod("z", 1, "b", labels={"slotwise.dev/class": "no class of the plan"}))
    with following(lambda: service_of(plan), api, tmp_path) as it:
        # k cannot run on a: there it is of the nearest class that can.
        it.until({"b": ("l", False, {"x": "k", "z": "j"}), "a": ("s", False, {"y": "j"})})
        api.delete("pods", "z")
        api.put("pods", pod("x", 9, "b"))
        api.put("nodes", node("b", 15))

        def free():
            it.look()
            return {offer.machine: offer.free for offer in it.offers}

        it.until(lambda: free() == {"a": pytest.approx(3 / 16), "b": pytest.approx(6 / 16)})
        assert it.look() == {"a": ("s", False, {"y": "j"}), "b": ("l", False, {"x": "k"})}


def test_another_plan_s_configurations_are_those_of_the_nodes(plan, api, tmp_path):
    other = plan_of([Configuration("m", 2, {"cpu": 15.0})], [JobClass("j", 1.0, 1.0, {"cpu": 1.0})])
    api.put("nodes", node("b", 16), node("a", 4))
    with following(lambda: service_of(plan), api, tmp_path) as it:
        it.until({"b": ("l", False, {}), "a": ("s", False, {})})
        it.until(watches(api))
        new = Dispatcher(other, policy="best-fit").plan
        it.loop.call_soon_threadsafe(it.service.follow, new)
        it.until(lambda: it.service.dispatcher.plan is new)

        def is_followed():
            api.bookmark()  # whatever is heard next
            return it.look() == {"b": ("m", False, {})}

        it.until(is_followed)
        assert "node a has cpu 4: like no configuration" in it.said[-1]


def test_a_pod_that_does_not_fit_is_placed_when_there_is_room(plan, api, tmp_path):
    api.put("nodes", node("a", 4))
    api.put("pods", *(pod(name, 3, "a") for name in "pqr"))
    with following(lambda: service_of(plan), api, tmp_path) as it:
        it.until({"a": ("s", False, {"p": "j"})})
        it.until(lambda: len(it.follower.state()["not_placed"]) == 2)
        assert "a has no room for it" in it.follower.state()["not_placed"]["default/q"]
        api.delete("pods", "p")
        it.until({"a": ("s", False, {"q": "j"})})
        assert list(it.follower.state()["not_placed"]) == ["default/r"]


def test_pods_wait_when_kube_scheduler_says_so(plan, api, tmp_path):
    api.put("nodes", node("a", 4))
    with following(lambda: service_of(plan), api, tmp_path) as it:
        wait = it.follower.mirror.others_wait
        api.put("pods", pod("fresh", 1), unschedulable(pod("p", 9)))
        it.until(lambda: it.follower.state()["waiting"] == ["default/p"])
        assert wait("default/fresh")
        assert not wait("default/p")
        api.delete("pods", "p")
        it.until(lambda: not wait("default/fresh"))


def watches(api, number=2):
    return lambda: api.watches() == number


@pytest.mark.parametrize("in_stream", [True, False])
def test_a_version_that_is_gone_leads_to_a_new_list(plan, api, tmp_path, in_stream):
    api.gone_in_stream = in_stream
    api.put("nodes", node("a", 4), node("b", 16))
    api.put("pods", pod("x", 1, "a"))
    with following(lambda: service_of(plan), api, tmp_path) as it:
        it.until(lambda: it.look().get("a", (0, 0, 0))[2] == {"x": "j"})
        it.until(watches(api))
        api.cut()
        api.put("pods", pod("y", 1, "a"))
        api.delete("pods", "x")
        api.delete("nodes", "b")
        api.forget()
        api.cut()
        it.until({"a": ("s", False, {"y": "j"})})
    lists = [query for kind, query in api.asked if "watch" not in query]
    assert len(lists) >= 3


def test_cut_connections_and_refusals_are_taken_up_again_where_they_ended(plan, api, tmp_path):
    api.put("nodes", node("a", 16))
    with following(lambda: service_of(plan), api, tmp_path) as it:
        it.until({"a": ("l", False, {})})
        lists = sum("watch" not in query for _, query in api.asked)
        for number in range(5):
            it.until(watches(api))
            api.bookmark()
            api.put("pods", pod(f"p{number}", 1, "a"))
            api.refusals[:] = [500, 429][: number % 3]
            api.cut()
            it.until(lambda n=number: len(it.look()["a"][2]) == n + 1)
        assert sum("watch" not in query for _, query in api.asked) == lists
        assert any("the API server answers 500" in line for line in it.said)
        it.until(lambda: it.follower.state()["trouble"] == {})


def test_a_bookmark_is_where_a_watch_goes_on(plan, api, tmp_path):
    api.put("nodes", node("a", 16))
    with following(lambda: service_of(plan), api, tmp_path) as it:
        it.until(watches(api))
        api.forget()
        api.bookmark()  # now they know a version that is not forgotten
        api.put("pods", pod("x", 1, "a"))
        it.until({"a": ("l", False, {"x": "j"})})
        before = len(api.asked)
        api.cut()
        it.until(watches(api))
        assert all("watch" in query for _, query in api.asked[before:])


def test_lists_come_in_pages(plan, api, tmp_path, monkeypatch):
    monkeypatch.setattr("slotwise.commands.serving.kubernetes.watch.PAGE", 3)
    api.put("nodes", *(node(f"n{i}", 4) for i in range(7)))
    with following(lambda: service_of(plan), api, tmp_path) as it:
        it.until(lambda: len(it.look()) == 7)
    assert [q.get("continue") for k, q in api.asked if k == "nodes"][:3] == [None, "3", "6"]


def test_a_restart_goes_on_with_what_runs(plan, api, tmp_path):
    api.put("nodes", node("a", 4), node("b", 16), node("c", 4))
    api.put("pods", *(pod(name, 1, "a") for name in "xy"), pod("z", 6, "b"))
    kept = tmp_path / "kept"
    with following(lambda: service_of(plan, kept), api, tmp_path) as it:
        it.until(lambda: sum(len(jobs) for _, _, jobs in it.look().values()) == 3)
    # While nobody looks, a pod ends, one moves, one comes, and a node is replaced by another.
    api.delete("pods", "x")
    api.delete("pods", "z")
    api.put("pods", pod("z", 6, "d"), pod("w", 1, "b"))
    api.delete("nodes", "c")
    api.put("nodes", node("d", 16))
    departed = []

    def again():
        service = service_of(plan, kept)
        depart = service.depart
        service.depart = lambda name: departed.append(name) or depart(name)
        return service

    with following(again, api, tmp_path) as it:
        wanted = {
            "a": ("s", False, {"y": "j"}),
            "b": ("l", False, {"w": "j"}),
            "d": ("l", False, {"z": "k"}),
        }
        it.until(wanted)
    assert sorted(departed) == ["default/x", "default/z"]


def test_changes_that_cannot_be_kept_are_made_after_a_new_list(plan, api, tmp_path, monkeypatch):
    api.put("nodes", node("a", 4))
    store, failures = Journal._store, []

    def failing(journal, batch):
        if failures:
            raise OSError(failures.pop())
        store(journal, batch)

    monkeypatch.setattr(Journal, "_store", failing)
    with following(lambda: service_of(plan, tmp_path / "kept"), api, tmp_path) as it:
        it.until(watches(api))
        failures.append("the disk is full")
        api.put("pods", pod("x", 1, "a"))
        it.until(lambda: not failures)
        api.bookmark()
        it.until({"a": ("s", False, {"x": "j"})})
        assert any("the disk is full" in line for line in it.said)


@pytest.mark.parametrize("seed", range(3))
def test_whatever_happens_the_service_has_what_the_server_has(plan, api, tmp_path, seed):
    draw = random.Random(seed)
    nodes, pods = {}, {}

    def happen():
        name = f"n{draw.randrange(5)}"
        kind = draw.randrange(8)
        if kind == 0:
            nodes[name] = node(name, draw.choice([4, 16]), unschedulable=draw.random() < 0.3)
            api.put("nodes", nodes[name])
        elif kind == 1 and nodes.pop(name, None):
            api.delete("nodes", name)
        elif kind < 5:
            key = f"p{draw.randrange(30)}"
            pods[key] = pod(
                key, draw.choice([0.25, 0.5]), name, draw.choice(["Running"] * 4 + ["Failed"])
            )
            api.put("pods", pods[key])
        elif kind < 7 and pods:
            key = draw.choice(sorted(pods))
            del pods[key]
            api.delete("pods", key)
        elif kind == 7:
            draw.choice([api.cut, api.bookmark, api.forget, lambda: api.refusals.append(503)])()

    def wanted():
        made = {}
        for name, thing in nodes.items():
            cpu = thing["status"]["capacity"]["cpu"]
            running = {
                key: "j" for key, it in pods.items()
                if it["spec"]["nodeName"] == name and it["status"]["phase"] == "Running"
            }  # fmt: skip
            drains = bool(thing["spec"]["unschedulable"])
            made[name] = ("s" if cpu == "4" else "l", drains, running)
        return made

    with following(lambda: service_of(plan), api, tmp_path) as it:
        for _ in range(60):
            for _ in range(draw.randrange(8)):
                happen()
            time.sleep(0.002)
        api.refusals.clear()
        it.until(wanted())
        assert all(offer.free >= 0 for offer in it.offers)


def test_configurations_that_cannot_be_read_are_said(tmp_path):
    with pytest.raises(InputError, match="no such file; or in-cluster"):
        api_of(str(tmp_path / "none"))
    with pytest.raises(InputError, match="--kubernetes in-cluster: ConfigException"):
        api_of("in-cluster")
    (tmp_path / "odd").write_text("[1")
    with pytest.raises(InputError, match=r"--kubernetes .*odd: "):
        api_of(str(tmp_path / "odd"))
