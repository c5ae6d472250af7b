"""`slotwise.certify`: a certificate for whatever makes a claim."""

from __future__ import annotations

from ...core.calls import check_argument, checked
from ...core.clock import Clock, check_time_limit
from ...instances.datacenter.guidance import Guidance
from ...solvers.certificate import Certificate
from ...solvers.datacenter.certify import certify_guidance
from ...solvers.mapreduce.proofs.certify import certify_result
from ...solvers.mapreduce.result import Result


@checked
def certify(claim: Result | Guidance, *, time_limit: float = 60.0) -> Certificate:
    """Prove what is claimed, for a verifier that believes nobody.

    Parameters
    ----------
    claim : Result or Guidance
        What to prove: makespan and lower bound, or a plan and the bound of its arrival rate.
    time_limit : float
        Wall time (s). What is proved by then is in the certificate.

    Returns
    -------
    Certificate
        The proofs, each checked by the verifier's own functions, and what they come to. What is
        not proved is attested by the solver that says so.

    Raises
    ------
    InputError
        For a senseless limit.
    """
    check_time_limit(time_limit)
    check_argument("certify: claim", claim, Result, Guidance)
    clock = Clock(time_limit)
    if isinstance(claim, Result):
        return certify_result(claim, clock)
    return certify_guidance(claim, clock)
