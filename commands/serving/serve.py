"""`slotwise serve`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...core.errors import InputError
from ..file_rules import Written
from ..frame import Answer
from ..running import running
from .senders import is_loopback, read_token

if TYPE_CHECKING:
    from ...heuristics.datacenter.live.dispatcher import Dispatcher
    from .server import Tls
    from .service import Service


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
    Path | None,
    typer.Option(metavar="FILE", help="Answer only who sends the token in this file."),
]
TlsCert = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Speak HTTPS with this certificate (PEM).")
]
TlsKey = Annotated[Path | None, typer.Option(metavar="FILE", help="The certificate's key (PEM).")]
TlsClientCa = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Answer only who shows a certificate of this authority (PEM); no token is needed.",
    ),
]
BehindProxy = Annotated[
    bool, typer.Option("--behind-proxy", help="Speak HTTP at another address: a proxy has TLS.")
]
Rate = Annotated[
    float, typer.Option(metavar="N", min=1, help="Requests a second that an address may make.")
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
    tls_client_ca: TlsClientCa = None,
    behind_proxy: BehindProxy = False,
    rate: Rate = 2000.0,
    check: Check = False,
) -> Answer | None:
    """Every accepted change is on the disk before it is answered. Ctrl-C ends the service."""
    token = None if token_file is None else read_token(token_file)
    if token is None and tls_client_ca is None and not is_loopback(host):
        raise InputError(f"--host {host}: needs --token-file: other machines can reach it")
    tls = _tls(tls_cert, tls_key, tls_client_ca, None if behind_proxy else host)
    first = _dispatcher(guidance, policy)
    if check:
        said = {"machines": len(first.machines), "policy": policy}
        text = f"{guidance}: ready for {len(first.machines)} machines, policy {policy}"
        return Answer(text, said)
    from .senders import Guard
    from .server import listening_at, run
    from .web import application

    service = _service(first, state, policy)
    with listening_at(host, port) as listening:
        address, number = listening.getsockname()[:2]
        url = f"http{'s' if tls else ''}://{f'[{address}]' if ':' in address else address}:{number}"
        running().show(f"serves on {url}", {"url": url, **service.health()})
        guard = Guard(token, rate, certified=tls_client_ca is not None)
        run(application(service, guard), listening, tls=tls)
    service.journal.close()
    return None


def _tls(
    certificate: Path | None, key: Path | None, clients: Path | None, host: str | None
) -> Tls | None:
    """The certificate; at this host, None for any, one is needed if other machines can reach it."""
    if (certificate is None) != (key is None):
        raise InputError("--tls-cert, --tls-key: need both or none")
    if clients is not None and certificate is None:
        raise InputError("--tls-client-ca: needs --tls-cert and --tls-key")
    if certificate is None and host is not None and not is_loopback(host):
        raise InputError(
            f"--host {host}: needs --tls-cert and --tls-key, or --behind-proxy: else others can "
            "read the token on its way"
        )
    from importlib.util import find_spec

    for name in ("httptools", "orjson", "prometheus_client", "starlette", "uvicorn"):
        if find_spec(name) is None:
            raise InputError(
                f"serve: needs {name}, which is not installed: pip install 'slotwise[serve]'"
            )
    from .server import Tls

    if certificate is None or key is None:
        return None
    tls = Tls(certificate, key, clients)
    tls.check()
    return tls


def _dispatcher(guidance: Path, policy: str) -> Dispatcher:
    """A dispatcher without jobs that follows the plan in a file."""
    from ...heuristics.datacenter.live.dispatcher import Dispatcher
    from .plan_given import plan_given

    document = plan_given(guidance)
    try:
        return Dispatcher(document, policy=policy)
    except ValueError as error:
        raise InputError(f"{guidance}: {error}") from None


def _service(first: Dispatcher, folder: Path | None, policy: str) -> Service:
    """The service that goes on with what the folder has, or begins with `first`."""
    from .journal import Journal
    from .plan_given import tell
    from .service import POLICY, STATE, Service

    journal = Journal(folder)
    kept, own = journal.read(STATE), journal.read(POLICY)
    if kept is not None and own != policy:
        raise InputError(f"--state {folder}: has policy {own}, not {policy}")
    if kept is not None and kept["guidance"] != first.plan.fingerprint:
        tell(f"--state {folder}: goes on with another plan; PUT /v1/guidance gives it a new one")
    return Service(journal, first, policy)
