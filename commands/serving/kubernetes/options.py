"""The options of `serve` beside kube-scheduler, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from ....core.errors import InputError

if TYPE_CHECKING:
    from ....heuristics.datacenter.live.dispatcher import Dispatcher
    from ....instances.datacenter.kubernetes.resources import KubernetesResources
    from ..calls import Call
    from ..server import Beside
    from ..service import Service

Kubernetes = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Follow nodes and pods of a cluster: a kubeconfig file's current context, or "
        "in-cluster.",
    ),
]
Resources = Annotated[
    list[str] | None,
    typer.Option(
        "--resource",
        metavar="NAME=KUBERNETES[:UNIT]",
        help="What a resource of the plan is called there, such as gpu=nvidia.com/gpu or "
        "mem=memory:Mi. May be given again.",
    ),
]


@dataclass(frozen=True)
class KubernetesAsked:
    """What was asked for."""

    where: str | None
    resources: Sequence[str]

    def names(self, dispatcher: Dispatcher) -> KubernetesResources:
        """The resources of a plan. Raises `InputError` if Kubernetes cannot have one of them."""
        from ....instances.datacenter.kubernetes.resources import KubernetesResources

        plan = dispatcher.plan
        names = KubernetesResources.of(plan.resources, self.resources)
        if self.where is not None and names.unknown():
            name = names.unknown()[0]
            raise InputError(
                f"resource {name!r}: no resource of Kubernetes has this name: say which it is "
                f"with --resource {name}=NAME"
            )
        return names

    def first(self, dispatcher: Dispatcher) -> Dispatcher:
        """The dispatcher to begin with: without the plan's machines if nodes take their place."""
        if self.where is None:
            return dispatcher
        state = dispatcher.state(whole=True)
        state["next_machine"] = dict.fromkeys(state["next_machine"], 0)
        return dispatcher.resume(state | {"machines": []})

    def beside(
        self, service: Service, names: KubernetesResources, say: Callable[[str], None]
    ) -> tuple[list[Call], list[Beside]]:
        """What is answered besides, and what runs beside the answers."""
        from .calls import extender_calls, following_calls
        from .extender import Extender
        from .follow import Follower, api_of

        if self.where is None:
            return extender_calls(Extender(service, names)), []
        from ..web import calls_of

        follower = Follower(service, names, api_of(self.where), say)
        extender = Extender(service, names, follower.mirror.others_wait)
        others = following_calls(follower, calls_of(service))
        return [*extender_calls(extender), *others], [follower.run]
