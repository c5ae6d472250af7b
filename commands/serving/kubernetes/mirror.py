"""The nodes and pods of a cluster as the machines and jobs of a service.

The API server is right: what a service has besides leaves it. A pod that does not fit as the
service sees it, or that requests nothing, is not placed; it is tried again when its node changes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NamedTuple

from ....heuristics.datacenter.live.plan import Plan
from ....instances.datacenter.kubernetes.nodes import Configurations, Node
from ....instances.datacenter.kubernetes.pods import Pod
from ....instances.datacenter.kubernetes.resources import KubernetesResources
from ..service import Service

Amounts = dict[str, float]


class Held(NamedTuple):
    """A job that the service has."""

    node: str
    demand: Amounts


class Mirror:
    """Makes a service follow what is told of nodes and pods.

    `say`: takes what an operator should know, once.
    """

    def __init__(
        self,
        service: Service,
        resources: KubernetesResources,
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        self._service, self._resources, self._say = service, resources, say
        self.left_out: dict[str, str] = {}
        """Nodes of no configuration, and why."""
        self.not_placed: dict[str, str] = {}
        """Pods that are bound to a node of the service and are not placed there, and why."""
        self.waiting: set[str] = set()
        """Pods for which kube-scheduler has found no node."""
        self._pods: dict[str, Pod] = {}
        self._bound: defaultdict[str, set[str]] = defaultdict(set)
        self._nodes: dict[str, tuple[str, Amounts]] = {}
        self._drained: set[str] = set()
        self._held: dict[str, Held] = {}
        self._known: tuple[Plan, Configurations] | None = None
        self.take_over()

    def take_over(self) -> None:
        """Begin with what the service has, whatever was known before."""
        self._nodes.clear()
        self._drained.clear()
        self._held.clear()
        for machine in self._service.dispatcher.state()["machines"]:
            name = machine.get("name") or f"{machine['configuration']}/{machine['number']}"
            self._nodes[name] = machine["configuration"], machine["capacity"] or {}
            if machine["draining"]:
                self._drained.add(name)
            for job in machine["jobs"]:
                self._held[job["job"]] = Held(name, job["demand"])

    def others_wait(self, pod: str) -> bool:
        """Whether a pod but this one waits for room."""
        return bool(self.waiting) and self.waiting != {pod}

    def nodes_are(self, nodes: Iterable[Node]) -> None:
        """There are these nodes and no others."""
        there = {node.name: node for node in nodes}
        for name in [name for name in (*self._nodes, *self.left_out) if name not in there]:
            self.node_left(name)
        new = {}
        for name in there.keys() - self._nodes.keys():
            with suppress(ValueError):
                new[name] = self._wanted(there[name])
        for name in self._service.join_many((name, *new[name]) for name in sorted(new)):
            self._nodes[name] = new[name]
            self._place_on(name)
        for node in there.values():
            self.node_is(node)

    def node_is(self, node: Node) -> None:
        """A node is there, in this state."""
        name = node.name
        try:
            wanted = self._wanted(node)
            if self._nodes.get(name) != wanted:
                self._remove(name)
                self._service.join(name, *wanted)
                self._nodes[name] = wanted
                self._place_on(name)
        except ValueError as error:
            self._remove(name)
            if self.left_out.get(name) != str(error):
                self._say(str(error))
            self.left_out[name] = str(error)
            return
        self.left_out.pop(name, None)
        if node.is_open == (name in self._drained):
            (self._service.undrain if node.is_open else self._service.drain)(name)
            (self._drained.discard if node.is_open else self._drained.add)(name)

    def _wanted(self, node: Node) -> tuple[str, Amounts]:
        """Configuration and capacity of a node's machine. Raises `InputError` if it has none."""
        return self._configurations.of(node), self._resources.amounts(node.allocatable)

    def node_left(self, name: str) -> None:
        """A node is gone."""
        self.left_out.pop(name, None)
        self._remove(name)

    def _remove(self, name: str) -> None:
        """Take a machine out, after its jobs: their pods do not start anywhere by themselves."""
        if name not in self._nodes:
            return
        for job in [job for job, held in self._held.items() if held.node == name]:
            self._release(job)
        for pod in self._bound[name]:
            self.not_placed.pop(pod, None)
        self._service.leave(name)
        del self._nodes[name]
        self._drained.discard(name)

    @property
    def _configurations(self) -> Configurations:
        """Those of the plan that is followed now."""
        plan = self._service.dispatcher.plan
        if self._known is None or self._known[0] is not plan:
            entries = plan.document["datacenter"]["configurations"]
            capacities = {entry["name"]: entry["capacity"] for entry in entries}
            self._known = plan, Configurations(capacities, self._resources)
        return self._known[1]

    def pods_are(self, pods: Iterable[Pod]) -> None:
        """There are these pods and no others."""
        there = {pod.name: pod for pod in pods}
        for name in [n for n in (*self._pods, *self._held, *self.waiting) if n not in there]:
            self.pod_left(name)
        for pod in there.values():
            self._note(pod)
        self._adopt([pod for pod in there.values() if pod.node in self._nodes])

    def pod_is(self, pod: Pod) -> None:
        """A pod is there, in this state."""
        self._note(pod)
        if pod.node in self._nodes:
            self._place(pod)

    def pod_left(self, name: str) -> None:
        """A pod is gone."""
        self.waiting.discard(name)
        self._forget(name)

    def _note(self, pod: Pod) -> None:
        """Keep what a pod is now; a job that is not as the pod is any more ends."""
        (self.waiting.add if pod.waits else self.waiting.discard)(pod.name)
        if pod.node is None:
            self._forget(pod.name)
            return
        self._unbind(pod.name)
        self._pods[pod.name] = pod
        self._bound[pod.node].add(pod.name)
        held = self._held.get(pod.name)
        if held is not None and held != Held(pod.node, self._demand(pod)):
            self._end(pod.name)

    def _forget(self, name: str) -> None:
        """A pod uses no node any more."""
        self._unbind(name)
        if name in self._held:
            self._end(name)

    def _unbind(self, name: str) -> None:
        pod = self._pods.pop(name, None)
        self.not_placed.pop(name, None)
        if pod is not None and pod.node is not None:
            self._bound[pod.node].discard(name)

    def _end(self, name: str) -> None:
        """End a job; what did not fit beside it is tried again."""
        node = self._held[name].node
        self._release(name)
        self._place_on(node)

    def _release(self, name: str) -> None:
        self._service.depart(name)
        del self._held[name]

    def _demand(self, pod: Pod) -> Amounts:
        return self._resources.amounts(pod.requests)

    def _place_on(self, node: str) -> None:
        """Try again what is bound to a node and not placed."""
        for name in sorted(self._bound[node]):
            if name not in self._held:
                self._place(self._pods[name])

    def _adopt(self, pods: list[Pod]) -> None:
        """Place many pods, in one change if that can be."""
        new = [
            pod for pod in pods if pod.name not in self._held and any(self._demand(pod).values())
        ]
        if len(new) <= 1:
            for pod in new:
                self._place(pod)
            return
        try:
            jobs = {pod.name: (str(pod.node), self._class(pod), self._demand(pod)) for pod in new}
            self._service.adopt(jobs)
        except ValueError:
            half = len(new) // 2
            self._adopt(new[:half])
            self._adopt(new[half:])
        else:
            self._held |= {name: Held(node, demand) for name, (node, _, demand) in jobs.items()}

    def _place(self, pod: Pod) -> None:
        """Let the service know where a pod runs, if it does not yet."""
        demand, node = self._demand(pod), str(pod.node)
        if pod.name in self._held or not any(demand.values()):
            return
        try:
            self._service.place(pod.name, node, self._class(pod), demand)
        except ValueError as error:
            self.not_placed[pod.name] = str(error)
        else:
            self._held[pod.name] = Held(node, demand)
            self.not_placed.pop(pod.name, None)

    def _class(self, pod: Pod) -> str:
        """The class of its labels if its node can run it, else the nearest of those that it can."""
        classify = self._service.dispatcher.classify
        return classify(self._demand(pod), pod.labels, machine=str(pod.node), job=pod.name)
