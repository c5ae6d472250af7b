"""Certificates: what proves a claim, for a verifier that believes nobody."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from ..core.files.json_files import Source, Strict, read_document
from ..core.files.outputs import write_bytes
from ..core.values import ByValue

FORMAT = "slotwise/certificate/1"

Proof = dict[str, Any]
"""An entry of `proofs`: the name of a theorem, and the numbers to apply it with."""

SECONDS = 10.0
"""How long proofs are looked for where nobody says."""

PROVED, IN_PART, ATTESTED = "proved", "proved in part", "attested"


class CertificateDocument(Strict):
    """The fields of a `slotwise/certificate/1` document."""

    format: Literal["slotwise/certificate/1"]
    instance: str
    instance_sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    makespan: float | None = None
    lower_bound: float | None = None
    proved_bound: float | None = None
    exactly: bool = False
    kind: Annotated[Literal["proved", "proved in part", "attested"], Field(alias="class")] = (
        "attested"
    )
    proofs: list[dict[str, Any]]


@dataclass(frozen=True, eq=False)
class Certificate(ByValue):
    """The proofs of a claim, and what they come to.

    Parameters
    ----------
    instance
        Name of the problem.
    instance_sha256
        Of the text of the problem's file.
    proofs
        Each a dictionary of the name of a theorem and its numbers, as in the file.
    kind
        "proved" if they confirm all of the claim, "proved in part" if they prove a weaker bound,
        "attested" if they prove nothing: then a solver's word stands for it.
    proved_bound
        What is proved, in the unit of the claim: a lower bound of the makespan (s), an upper bound
        of the arrival rate; None where there is no such number.
    makespan, lower_bound
        The claim of a result (s).
    exactly
        Whether makespan and bound are proved to be the same number.
    """

    instance: str
    instance_sha256: str
    proofs: tuple[Proof, ...]
    kind: str
    proved_bound: float | None = None
    makespan: float | None = None
    lower_bound: float | None = None
    exactly: bool = False

    @property
    def witnesses(self) -> tuple[str, ...]:
        """Who attests what is not proved."""
        return tuple(name for proof in self.proofs for name in proof.get("by", ()))

    def document(self) -> dict[str, Any]:
        """The `slotwise/certificate/1` document."""
        return {
            "format": FORMAT,
            "instance": self.instance,
            "instance_sha256": self.instance_sha256,
            "makespan": self.makespan,
            "lower_bound": self.lower_bound,
            "proved_bound": self.proved_bound,
            "exactly": self.exactly,
            "class": self.kind,
            "proofs": list(self.proofs),
        }

    def __str__(self) -> str:
        if self.kind == PROVED:
            return f"yes, exactly {self.proved_bound:.15g}" if self.exactly else "yes"
        if self.kind == IN_PART:
            return f"in part: {self.proved_bound:.6g}"
        return f"attested by {', '.join(self.witnesses) or 'nobody'}"

    def __repr__(self) -> str:
        return f"Certificate({self.instance}: {self})"


def attested(bound: float, by: str, package: str) -> Proof:
    """The entry for a bound that a method's word stands for, and the version of its solver."""
    witnesses = [by]
    with suppress(PackageNotFoundError):
        witnesses.append(f"{package} {version(package)}")
    return {"proof": "attested", "bound": bound, "by": witnesses}


def read_certificate(path: Source) -> Certificate:
    """Read a `slotwise/certificate/1` file (plain or gzip).

    Parameters
    ----------
    path
        Path of the file, or `-`.

    Returns
    -------
    Certificate
        The certificate. Whether its proofs hold is for the verifier to say.

    Raises
    ------
    InputError
        If something is wrong; one line names file and field.
    """
    document = read_document(path, CertificateDocument, FORMAT)
    return Certificate(
        instance=document.instance,
        instance_sha256=document.instance_sha256,
        proofs=tuple(document.proofs),
        kind=document.kind,
        proved_bound=document.proved_bound,
        makespan=document.makespan,
        lower_bound=document.lower_bound,
        exactly=document.exactly,
    )


def write_certificate(certificate: Certificate, path: str | Path) -> None:
    """Write a `slotwise/certificate/1` file atomically, compressed if the name ends in `.gz`.

    Parameters
    ----------
    certificate
        The certificate.
    path
        Path of the file, or `-` for stdout.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    document = certificate.document()
    # A proof in a line: numbers below one another are many times as long.
    proofs = ",\n  ".join(json.dumps(proof) for proof in document.pop("proofs"))
    head = json.dumps(document, allow_nan=False, indent=1).removesuffix("\n}")
    write_bytes(path, f'{head},\n "proofs": [\n  {proofs}\n ]\n}}\n'.encode())
