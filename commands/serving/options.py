"""The options of `slotwise serve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..file_rules import Written

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
