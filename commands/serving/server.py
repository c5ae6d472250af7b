"""The server: a socket, and the application on it until a signal comes."""

from __future__ import annotations

import asyncio
import gc
import socket
import ssl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ...core.errors import InputError
from .. import interrupts

SWITCH = 0.0005
"""Seconds after which a thread that fills tables lets answers go on."""

HEAD_SECONDS = 60
"""Within them the head of a request arrives, after the last answer or the beginning."""


def listening_at(host: str, port: int) -> socket.socket:
    try:
        kind = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((host, port), family=kind, backlog=2048)
        # Heads and bodies of answers are written one after the other: none waits for the other.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except OSError as error:
        raise InputError(f"--host {host} --port {port}: {error.strerror or error}") from None


@dataclass(frozen=True)
class Tls:
    """Files of a certificate and its key, and of the authority that clients are known to."""

    certificate: Path
    key: Path
    clients: Path | None = None

    def check(self) -> None:
        """Raise `InputError` if they are none, or do not belong together."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            context.load_cert_chain(self.certificate, self.key, password=_no_password)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise InputError(f"--tls-cert {self.certificate} --tls-key {self.key}: {why}") from None
        if self.clients is not None:
            try:
                context.load_verify_locations(self.clients)
            except (OSError, ValueError) as error:
                why = getattr(error, "strerror", None) or str(error)
                raise InputError(f"--tls-client-ca {self.clients}: {why}") from None

    @property
    def settings(self) -> dict[str, Any]:
        """As uvicorn takes them."""
        made: dict[str, Any] = {"ssl_certfile": self.certificate, "ssl_keyfile": self.key}
        if self.clients is not None:
            made |= {"ssl_ca_certs": str(self.clients), "ssl_cert_reqs": ssl.CERT_REQUIRED}
        return made


def _no_password() -> str:
    raise ValueError("the key has a password")


class Connection(HttpToolsProtocol):
    """A connection; who sends no whole head of a request in `HEAD_SECONDS` is let go."""

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first head."""
        super().connection_made(transport)
        self.timeout_keep_alive_task = self.loop.call_later(
            HEAD_SECONDS, self.timeout_keep_alive_handler
        )

    def data_received(self, data: bytes) -> None:
        """A part of a head does not count."""
        waiting, self.timeout_keep_alive_task = self.timeout_keep_alive_task, None
        cycle = self.cycle
        super().data_received(data)
        if waiting is None:
            return
        if self.cycle is cycle and not self.transport.is_closing():
            self.timeout_keep_alive_task = waiting
        else:
            waiting.cancel()


def run(application: Starlette, listening: socket.socket, *, tls: Tls | None = None) -> None:
    """Serve until a signal comes."""

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield  # the command line answers them

    server = Server(
        uvicorn.Config(
            application,
            http=Connection,
            ws="none",
            lifespan="off",
            log_level="error",
            access_log=False,
            server_header=False,
            timeout_keep_alive=HEAD_SECONDS,
            timeout_graceful_shutdown=5,
            **({} if tls is None else tls.settings),
        )
    )

    _allow_many_connections()
    gc.collect()
    gc.freeze()  # looking for garbage among 173 000 jobs would stop answers for half a second
    sys.setswitchinterval(SWITCH)
    interrupts.hold(lambda: setattr(server, "should_exit", True))
    with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
        runner.run(server.serve(sockets=[listening]))


def _allow_many_connections() -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
