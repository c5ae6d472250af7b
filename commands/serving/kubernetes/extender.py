"""What kube-scheduler asks an extender (k8s.io/kube-scheduler/extender/v1): filter, prioritize.

Filter keeps a pod only from nodes that cannot run the class that its labels name; where a class
does not belong is a matter of scores, or pods would starve that kube-scheduler takes in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ....core.errors import InputError
from ....heuristics.datacenter.live.answers import Offer
from ....instances.datacenter.kubernetes.pods import Pod, name_of
from ....instances.datacenter.kubernetes.resources import KubernetesResources
from ....instances.kubernetes import part, parts
from ..service import Service

BEST = 10
"""The highest score that an extender may give; the least is 0."""


class Asked(NamedTuple):
    """A request: the pod, and the nodes on which it could run."""

    pod: Pod
    nodes: list[str]
    objects: list[dict[str, Any]] | None
    """The nodes themselves, unless kube-scheduler leaves them out (nodeCacheCapable)."""

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Asked:
        """Read an `ExtenderArgs`. Raises `InputError` if it is none."""
        pod = Pod.of(part(document, "Pod", "body"))
        names = document.get("NodeNames")
        if names is None:
            if document.get("Nodes") is None:
                raise InputError("body: need Nodes or NodeNames")
            objects = parts(part(document, "Nodes", "body"), "items", "body, Nodes")
            return cls(pod, [name_of(node, "node") for node in objects], objects)
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise InputError("body, NodeNames: need a list of names")
        return cls(pod, names, None)


class Extender:
    """Answers from what a service knows.

    `others_wait`: whether pods but the one of that name wait for room.
    """

    def __init__(
        self,
        service: Service,
        resources: KubernetesResources,
        others_wait: Callable[[str], bool] = lambda name: False,
    ) -> None:
        self._service, self._resources, self._others_wait = service, resources, others_wait

    def filter(self, asked: Asked) -> dict[str, Any]:
        """An `ExtenderFilterResult`."""
        barred = self._barred(asked)
        kept = [name for name in asked.nodes if name not in barred]
        nodes = None
        if asked.objects is not None:
            pairs = zip(asked.nodes, asked.objects, strict=True)
            nodes = {"metadata": {}, "items": [node for name, node in pairs if name not in barred]}
        return {
            "Nodes": nodes,
            "NodeNames": kept if asked.objects is None else None,
            "FailedNodes": {},
            "FailedAndUnresolvableNodes": barred,
            "Error": "",
        }

    def _barred(self, asked: Asked) -> dict[str, str]:
        """Nodes that cannot run the class of the labels, and why; none if no node at all could."""
        dispatcher = self._service.dispatcher
        named = dispatcher.named(asked.pod.labels)
        if named is None:
            return {}
        others = set(dispatcher.machines) - dispatcher.able(named)
        why = f"class {named} cannot run on its configuration"
        return {name: why for name in asked.nodes if name in others}

    def prioritize(self, asked: Asked) -> list[dict[str, Any]]:
        """A `HostPriorityList`: 10 where the policy would start the pod, 0 where is no room."""
        candidates = set(asked.nodes)
        offers = [offer for offer in self._offers(asked.pod) if offer.machine in candidates]
        scores = ranks(offers, bars=self._others_wait(asked.pod.name))
        return [{"Host": name, "Score": scores.get(name, 0)} for name in asked.nodes]

    def _offers(self, pod: Pod) -> list[Offer]:
        """Where the pod could start. Nowhere in particular if it requests nothing, or too much."""
        dispatcher, demand = self._service.dispatcher, self._resources.amounts(pod.requests)
        if not any(demand.values()):
            return []
        try:
            job_class = dispatcher.classify(demand, pod.labels)
        except ValueError:
            return []
        return dispatcher.offers(job_class, demand)


def ranks(offers: Sequence[Offer], *, bars: bool) -> dict[str, int]:
    """Scores of machines: the best 10, the others from 9 down to 1 in their order.

    `offers`: by cost, and by what is free; those with both alike have the same score.
    `bars`: whether those where the class has its place come first.
    """
    if bars:
        offers = sorted(offers, key=lambda offer: not offer.home)
    group, groups, last = [], -1, None
    for _, cost, free, home in offers:
        key = cost, free, bars and home
        if key != last:
            groups, last = groups + 1, key
        group.append(groups)
    step = (BEST - 1) / max(groups + 1, 1)
    return {
        offer.machine: BEST - 1 - int((rank - 1) * step) if rank else BEST
        for offer, rank in zip(offers, group, strict=True)
    }
