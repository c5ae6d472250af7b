"""Beside the answers: threads that watch a cluster, and the mirror that takes what they tell."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....core.errors import InputError, one_line
from ....instances.datacenter.kubernetes.nodes import Node
from ....instances.datacenter.kubernetes.pods import Pod
from ....instances.datacenter.kubernetes.resources import KubernetesResources
from ..service import NotNow, Service
from .mirror import Mirror
from .watch import Heard, Listed, Pauses, Thing, Told, Trouble, Watcher

if TYPE_CHECKING:
    from kubernetes.client import CoreV1Api

IN_CLUSTER = "in-cluster"
"""Not a file: the account of the pod in which the service runs."""


def api_of(where: str) -> CoreV1Api:
    """A client of the API server of a kubeconfig file's current context, or of the own cluster.

    Raises `InputError`.
    """
    try:
        from kubernetes import client, config
    except ImportError:
        raise InputError(
            "--kubernetes: needs kubernetes, which is not installed: "
            "pip install 'slotwise[kubernetes]'"
        ) from None
    settings = client.Configuration()
    try:
        if where == IN_CLUSTER:
            config.load_incluster_config(client_configuration=settings)
        elif not Path(where).is_file():
            raise InputError(f"--kubernetes {where}: no such file; or {IN_CLUSTER}")
        else:
            config.load_kube_config(config_file=where, client_configuration=settings)
    except InputError:
        raise
    except Exception as error:  # of the client, YAML, base64, files
        raise InputError(f"--kubernetes {where}: {type(error).__name__}: {error}") from None
    return client.CoreV1Api(client.ApiClient(settings))


class Follower:
    """Lets a service follow the nodes and pods that an API server has.

    `say`: takes what an operator should know, once.
    """

    def __init__(
        self,
        service: Service,
        resources: KubernetesResources,
        api: CoreV1Api,
        say: Callable[[str], None],
        *,
        pauses: Callable[[], Pauses] = Pauses,
    ) -> None:
        self._service, self._say = service, say
        self.mirror = mirror = Mirror(service, resources, say)
        self._told: asyncio.Queue[Callable[[], None]] = asyncio.Queue()
        self._missing = {"nodes", "pods"}
        self._plan = service.dispatcher.plan
        self._trouble: dict[str, str] = {}
        self._heard: dict[str, float] = {}
        node = self._taker("nodes", mirror.nodes_are, mirror.node_is, mirror.node_left)
        pod = self._taker("pods", mirror.pods_are, mirror.pod_is, mirror.pod_left)
        self._watchers: list[Watcher[Any]] = [
            Watcher(api.list_node, Node.of, node, pauses=pauses()),
            Watcher(api.list_pod_for_all_namespaces, Pod.of, pod, pauses=pauses()),
        ]
        service.not_ready = "the nodes and pods of the cluster are not known yet"

    def _taker(
        self,
        kind: str,
        are: Callable[[list[Thing]], None],
        is_now: Callable[[Thing], None],
        left: Callable[[str], None],
    ) -> Callable[[Told[Thing]], None]:
        """What a watcher tells, in its thread, is done in that of the service."""

        def take(told: Told[Thing]) -> None:
            if isinstance(told, Trouble):
                do = partial(self._note, kind, told.why)
            elif isinstance(told, Heard):
                do = partial(self._hear, kind)
            elif isinstance(told, Listed):
                do = partial(self._do, kind, partial(are, told.things), listed=True)
            elif told.deleted:
                do = partial(self._do, kind, partial(left, told.thing.name))
            else:
                do = partial(self._do, kind, partial(is_now, told.thing))
            with suppress(RuntimeError):  # the service has ended
                self._loop.call_soon_threadsafe(self._told.put_nowait, do)

        return take

    async def run(self) -> None:
        """Follow until it is cancelled."""
        self._loop = asyncio.get_running_loop()
        for watcher in self._watchers:
            watcher.start()
        try:
            while True:
                (await self._told.get())()
                if self._told.empty():
                    await self._keep()
                await asyncio.sleep(0)  # requests are answered in between
        finally:
            for watcher in self._watchers:
                watcher.stop()

    def _note(self, kind: str, why: str) -> None:
        """Something went wrong; it is said once."""
        line = one_line(f"{kind}: {why}", 300)
        if self._trouble.get(kind) != line:
            self._say(line)
        self._trouble[kind] = line

    def _hear(self, kind: str) -> None:
        self._heard[kind] = time.monotonic()
        self._trouble.pop(kind, None)
        plan = self._service.dispatcher.plan
        if plan is not self._plan:  # its configurations may be others
            self._plan = plan
            self._list_again()

    async def _keep(self) -> None:
        """All that was told of is on the disk."""
        try:
            await self._service.kept()
            self._trouble.pop("state", None)
        except NotNow as error:
            self._begin_again("state", error)

    def _begin_again(self, kind: str, error: Exception) -> None:
        """The service has what it had before; a new list says what is missing."""
        self._note(kind, str(error) or type(error).__name__)
        self._list_again()

    def _list_again(self) -> None:
        self.mirror.take_over()
        for watcher in self._watchers:
            watcher.list_again()

    def _do(self, kind: str, change: Callable[[], None], *, listed: bool = False) -> None:
        self._hear(kind)
        try:
            change()
        except Exception as error:
            self._begin_again(kind, error)
            return
        if listed:
            self._missing.discard(kind)
            if not self._missing:
                self._service.not_ready = ""

    def state(self) -> dict[str, Any]:
        """What is known of the cluster, and what is not followed."""
        now = time.monotonic()
        return {
            "ready": not self._service.not_ready,
            "seconds_since": {kind: round(now - then, 1) for kind, then in self._heard.items()},
            "trouble": self._trouble,
            "waiting": sorted(self.mirror.waiting),
            "left_out": self.mirror.left_out,
            "not_placed": self.mirror.not_placed,
        }
