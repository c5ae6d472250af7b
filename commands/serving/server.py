"""The server: a socket, the application on it, and what runs beside it until a signal comes."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager

import uvicorn

from ...core.errors import InputError, one_line
from ..console import tell
from ..process.interrupts import held
from .calls import Call
from .service import Service
from .web import application

Beside = Callable[[], Awaitable[None]]
"""What runs beside the answers, in the same thread: it must never work long without waiting."""


def listening_at(host: str, port: int) -> socket.socket:
    """A socket that listens there."""
    try:
        kind = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((host, port), family=kind, backlog=2048)
        # Heads and bodies of answers are written one after the other: none waits for the other.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except OSError as error:
        raise InputError(f"--host {host} --port {port}: {error.strerror or error}") from None


def run(
    service: Service,
    listening: socket.socket,
    *,
    token: str | None = None,
    calls: Iterable[Call] = (),
    beside: Iterable[Beside] = (),
) -> None:
    """Serve until a signal comes.

    `calls` are answered, too; what is `beside` begins with the service and ends with it.
    """

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield  # the command line answers them

    server = Server(
        uvicorn.Config(
            application(service, token, calls),
            ws="none",
            lifespan="off",
            log_level="error",
            access_log=False,
            server_header=False,
            timeout_keep_alive=60,
            timeout_graceful_shutdown=5,
        )
    )

    def end() -> None:
        server.should_exit = True

    async def serve() -> None:
        tasks = [asyncio.create_task(_told(task)) for task in beside]
        await server.serve(sockets=[listening])
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    _allow_many_connections()
    with held() as signals:
        signals.hold(end)
        with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
            runner.run(serve())


async def _told(task: Beside) -> None:
    """Run a task; if it fails, the service goes on without it."""
    try:
        await task()
    except Exception as error:
        tell([one_line(f"{type(error).__name__}: {error}")], quiet=False)


def _allow_many_connections() -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
