"""`slotwise serve`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...core.errors import InputError
from ..console import Json, Quiet, show, tell
from ..file_rules import Written
from .senders import is_loopback, read_token

if TYPE_CHECKING:
    from ...heuristics.datacenter.live.dispatcher import Dispatcher
    from .service import Service


def serve(
    guidance: Annotated[
        Path, typer.Argument(metavar="GUIDANCE", help="A plan; a datacenter is planned first.")
    ],
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Another than this machine's needs a token.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="0 takes a free one.")
    ] = 8080,
    policy: Annotated[
        str, typer.Option(metavar="NAME", help="As of slotwise.Dispatcher.")
    ] = "bid-price",
    state: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Keep the state here: started again, the service goes on where it was.",
        ),
        Written(folder=True),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Answer only who sends the token in this file."),
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Speak HTTPS with this certificate (PEM).")
    ] = None,
    tls_key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The certificate's key (PEM).")
    ] = None,
    behind_proxy: Annotated[
        bool,
        typer.Option("--behind-proxy", help="Speak HTTP at another address: a proxy has TLS."),
    ] = False,
    rate: Annotated[
        float,
        typer.Option(metavar="N", min=1, help="Requests a second that an address may make."),
    ] = 2000.0,
    check: Annotated[
        bool, typer.Option("--check", help="Say whether it could be started, and end.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """A service over HTTP that says where each arriving job starts, with a page of the cluster.

    Every accepted change is on the disk before it is answered. Ctrl-C ends the service.
    """
    token = None if token_file is None else read_token(token_file)
    if token is None and not is_loopback(host):
        raise InputError(f"--host {host}: needs --token-file: other machines can reach it")
    if (tls_cert is None) != (tls_key is None):
        raise InputError("--tls-cert, --tls-key: need both or none")
    if tls_cert is None and not (behind_proxy or is_loopback(host)):
        raise InputError(
            f"--host {host}: needs --tls-cert and --tls-key, or --behind-proxy: else others can "
            "read the token on its way"
        )
    _need_libraries()
    from .server import Tls, listening_at, run

    tls = None if tls_cert is None or tls_key is None else Tls(tls_cert, tls_key)
    if tls is not None:
        tls.check()
    first = _dispatcher(guidance, policy, quiet=quiet or as_json)
    if check:
        said = {"machines": len(first.machines), "policy": policy}
        text = f"{guidance}: ready for {len(first.machines)} machines, policy {policy}"
        show(text, document=said, as_json=as_json, quiet=quiet)
        return
    from .senders import Guard
    from .web import application

    service = _service(first, state, policy, quiet=quiet or as_json)
    with listening_at(host, port) as listening:
        address, number = listening.getsockname()[:2]
        url = f"http{'s' if tls else ''}://{f'[{address}]' if ':' in address else address}:{number}"
        document = {"url": url, **service.health()}
        show(f"serves on {url}", document=document, as_json=as_json, quiet=quiet)
        run(application(service, Guard(token, rate)), listening, tls=tls)
    service.journal.close()


def _dispatcher(guidance: Path, policy: str, *, quiet: bool) -> Dispatcher:
    """A dispatcher without jobs that follows the plan in a file."""
    from ...heuristics.datacenter.live.dispatcher import Dispatcher
    from .plan_given import plan_given

    document = plan_given(guidance, quiet=quiet)
    try:
        return Dispatcher(document, policy=policy)
    except ValueError as error:
        raise InputError(f"{guidance}: {error}") from None


def _service(first: Dispatcher, folder: Path | None, policy: str, *, quiet: bool) -> Service:
    """The service that goes on with what the folder has, or begins with `first`."""
    from .journal import Journal
    from .service import POLICY, STATE, Service

    journal = Journal(folder)
    kept, own = journal.read(STATE), journal.read(POLICY)
    if kept is not None and own != policy:
        raise InputError(f"--state {folder}: has policy {own}, not {policy}")
    if kept is not None and kept["guidance"] != first.plan.fingerprint():
        tell(
            [f"--state {folder}: goes on with another plan; PUT /v1/guidance gives it a new one"],
            quiet=quiet,
        )
    return Service(journal, first, policy)


def _need_libraries() -> None:
    from importlib.util import find_spec

    for name in ("httptools", "orjson", "prometheus_client", "starlette", "uvicorn"):
        if find_spec(name) is None:
            raise InputError(
                f"serve: needs {name}, which is not installed: pip install 'slotwise[serve]'"
            )
