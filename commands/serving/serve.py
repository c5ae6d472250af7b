"""`slotwise serve`."""

from __future__ import annotations

import asyncio
import gc
import resource
import socket
import ssl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from ...core.errors import InputError
from ...core.files.inputs import read_bytes
from ...core.files.json_files import JsonFile
from .. import interrupts
from ..file_rules import Written
from ..frame import Answer
from ..running import running

LEAST_TOKEN = 16
"""Characters of the shortest token."""

SWITCH = 0.0005
"""Seconds after which a thread that fills tables lets answers go on."""

GuidanceFile = Annotated[
    Path, typer.Argument(metavar="GUIDANCE", help="A plan; a datacenter is planned first.")
]
Host = Annotated[
    str, typer.Option(metavar="ADDRESS", help="Another than this machine's needs a token.")
]
Port = Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="0 takes a free one.")]
Policy = Annotated[str, typer.Option(metavar="NAME", help="As of slotwise.Dispatcher.")]
State = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Keep the state here: started again, the service goes on where it was.",
    ),
    Written(folder=True),
]
TokenFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Answer only who sends the token in this file.")
]
TlsCert = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Speak HTTPS with this certificate (PEM).")
]
TlsKey = Annotated[Path | None, typer.Option(metavar="FILE", help="The certificate's key (PEM).")]
BehindProxy = Annotated[
    bool, typer.Option("--behind-proxy", help="Speak HTTP at another address: a proxy has TLS.")
]
Check = Annotated[bool, typer.Option("--check", help="Say whether it could be started, and end.")]


def serve(
    guidance: GuidanceFile,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    policy: Policy = "bid-price",
    state: State = None,
    token_file: TokenFile = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    behind_proxy: BehindProxy = False,
    check: Check = False,
) -> Answer | None:
    """Every accepted change is on the disk before it is answered. Ctrl-C ends the service."""
    for name in ("prometheus_client", "starlette", "uvicorn"):
        if find_spec(name) is None:
            raise InputError(
                f"serve: needs {name}, which is not installed: pip install 'slotwise[serve]'"
            )
    from ...heuristics.datacenter.live.dispatcher import Dispatcher
    from .journal import Journal
    from .service import POLICY, STATE, Service
    from .web import application, is_loopback

    token = None if token_file is None else _token(token_file)
    if token is None and not is_loopback(host):
        raise InputError(f"--host {host}: needs --token-file: other machines can reach it")
    if (tls_cert is None) != (tls_key is None):
        raise InputError("--tls-cert, --tls-key: need both or none")
    if tls_cert is None and not behind_proxy and not is_loopback(host):
        raise InputError(
            f"--host {host}: needs --tls-cert and --tls-key, or --behind-proxy: else others can "
            "read the token on its way"
        )
    if tls_cert is not None and tls_key is not None:
        _check_certificate(tls_cert, tls_key)
    plan = _plan(guidance)
    try:
        first = Dispatcher(plan, policy=policy)
    except InputError as error:
        raise InputError(f"{guidance}: {error}") from None
    if check:
        said = {"machines": len(first.machines), "policy": policy}
        text = f"{guidance}: ready for {len(first.machines)} machines, policy {policy}"
        return Answer(text, said)
    journal = Journal(state)
    kept, own = journal.read(STATE).get(STATE), journal.read(POLICY).get(POLICY)
    if kept is not None and own != policy:
        raise InputError(f"--state {state}: has policy {own}, not {policy}")
    if kept is not None and kept["guidance"] != first.plan.fingerprint:
        _tell(f"--state {state}: goes on with another plan; PUT /v1/guidance gives it a new one")
    service = Service(journal, first, policy)
    with _listening(host, port) as listening:
        address, number = listening.getsockname()[:2]
        scheme = "http" if tls_cert is None else "https"
        url = f"{scheme}://{f'[{address}]' if ':' in address else address}:{number}"
        running().show(f"serves on {url}", {"url": url, **service.health()})
        _run(application(service, token), listening, tls_cert, tls_key)
    journal.close()
    return None


def _token(path: Path) -> str:
    token = read_bytes(path).decode(errors="replace").strip()
    if len(token) < LEAST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(
            f"{path}: need a token of at least {LEAST_TOKEN} letters, digits and signs, such as "
            "python3 -c 'import secrets; print(secrets.token_urlsafe())' makes"
        )
    return token


def _check_certificate(certificate: Path, key: Path) -> None:
    def no_password() -> str:
        raise ValueError("the key has a password")

    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key, password=no_password)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(f"--tls-cert {certificate} --tls-key {key}: {why}") from None


def _plan(path: Path) -> dict[str, Any]:
    """The plan in a file, or one made for the datacenter in it."""
    from ...instances.datacenter.datacenter_file import FORMAT, read_datacenter
    from ...instances.datacenter.guidance_file import read_guidance
    from ...solvers.datacenter.guide import NoRate, guide

    file = JsonFile.read(path)
    if file.document.get("format") != FORMAT:
        read_guidance(file)
        return file.document
    problem = read_datacenter(file)
    try:
        plan = guide(problem)
    except NoRate as no:
        raise InputError(f"{path}: {no}") from None
    _tell(
        f"{problem.name} is a datacenter: planned for it, up to {plan.arrival_rate:.6g} jobs per "
        f"{problem.time_unit}; `slotwise guide` keeps such a plan in a file"
    )
    return plan.document()


def _tell(note: str) -> None:
    """A note for people, before the service begins."""
    if not running().hidden:
        running().tell([note])


def _listening(host: str, port: int) -> socket.socket:
    try:
        kind = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((host, port), family=kind, backlog=2048)
        # Heads and bodies of answers are written one after the other: none waits for the other.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except OSError as error:
        raise InputError(f"--host {host} --port {port}: {error.strerror or error}") from None


def _run(
    application: Any, listening: socket.socket, certificate: Path | None, key: Path | None
) -> None:
    """Serve until a signal comes."""
    import uvicorn

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield  # the command line answers them

    config = uvicorn.Config(
        application,
        ws="none",
        lifespan="off",
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_keep_alive=60,
        timeout_graceful_shutdown=5,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    server = Server(config)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    gc.collect()
    gc.freeze()  # looking for garbage among 173 000 jobs would stop answers for half a second
    sys.setswitchinterval(SWITCH)
    interrupts.hold(lambda: setattr(server, "should_exit", True))
    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        runner.run(server.serve(sockets=[listening]))
