"""What older files and command lines name and is no longer there, and what to do instead."""

from __future__ import annotations

_ON_A_TRACE = "slotwise simulate DATACENTER --trace JOBS runs policies on jobs of your own"
_BY_HAND = "docs/how-to/schedulers.md says how to write a slotwise/hierarchy/2 of its queues"
_AS_IT_IS = "docs/how-to/importing.md says how such files are read"

REMOVED: dict[str, str] = {
    "--max-input": "an input may have 2 GB of text",
    "audit": "slotwise gap shows the run of a Rumen trace beside what is possible",
    "campaign --where": "slotwise.read_runs(FOLDER) gives a data frame, which pandas filters",
    "examples": "slotwise list examples shows them",
    "exercises": "slotwise grade --list shows them",
    "explain --guidance": "slotwise steps has it",
    "explain --highs": "slotwise lesson has it",
    "explain --html": "-o FILE.html writes the page",
    "explain --jobs": "slotwise steps has it",
    "explain --lesson": "slotwise lesson MODEL -o FILE.html",
    "explain --load": "slotwise steps has it",
    "explain --noise": "slotwise steps has it",
    "explain --optimum": "slotwise steps has it",
    "explain --parameter": "slotwise steps has it",
    "explain --scale": "slotwise steps has it",
    "explain --seed": "slotwise steps has it",
    "explain --slides": "slotwise steps has it",
    "explain --trace": "slotwise steps has it",
    "fair --admit": "slotwise fair shows what each node holds, may hold, and what is full",
    "fair --certificate": "slotwise check HIERARCHY ALLOCATION says whether shares are fair",
    "fair --compare": "slotwise fair --json of both trees, with tasks 0 for leaves that are idle",
    "fair --flat": "the tree itself is written",
    "fair --leaf-map": "it went with --compare",
    "fair --on": "docs/heuristics/limits.md says where a scheduler does something else",
    "fair --tolerance": "it went with --compare",
    "fair --use": "it went with --admit",
    "field jobs, release": "all jobs are there at time 0, so leave it out",
    "field jobs, weight": "every job counts the same, so leave it out",
    "field on": "an allocation is that of its method, so leave it out",
    "grade --reveal": "the smallest instance is always shown",
    "guide --export": "an adapter of your own asks POST /v1/score of `slotwise serve`",
    "import jhist": "make a trace with Hadoop's TraceBuilder and use slotwise import rumen",
    "import kai": _BY_HAND,
    "import kueue --local-queues": "they are read where their ClusterQueue has an admissionScope",
    "import openb --failed": _AS_IT_IS,
    "import rumen --duplicates": _AS_IT_IS,
    "import rumen --failed-jobs": _AS_IT_IS,
    "import rumen --no-subtract-read": _AS_IT_IS,
    "import rumen --output-bytes": _AS_IT_IS,
    "import rumen --subtract-read": _AS_IT_IS,
    "import rumen --unfinished": _AS_IT_IS,
    "import rumen-history": "use slotwise import rumen",
    "import slurm": _BY_HAND,
    "import spark": "slotwise reads no logs of Spark",
    "import spark-pools": _BY_HAND,
    "import swim --cap-reduces": _AS_IT_IS,
    "import swim --no-cap-reduces": _AS_IT_IS,
    "import volcano": _BY_HAND,
    "objective mean": "every result is of the makespan, so solve the instance again",
    "reproduce --compress": _ON_A_TRACE,
    "reproduce --datacenter": _ON_A_TRACE,
    "reproduce --scale": _ON_A_TRACE,
    "reproduce --trace": _ON_A_TRACE,
    "schema": "slotwise list schemas NAME prints it",
    "serve --kubernetes": "an adapter of your own asks POST /v1/score",
    "serve --replan": "cron runs `slotwise guide` and gives its plan to PUT /v1/guidance",
    "serve --resource": "an adapter of your own asks POST /v1/score",
    "simulate --certificate": "simulate --bound computes the bound, nothing proves it",
    "simulate --keep-after": "no policy keeps machines for jobs that wait",
    "simulate --mix": "give the shares in the datacenter's file",
    "simulate --replan": "guide plans for a new mix, simulate --guidance follows that plan",
    "slotwise/audit/1": "slotwise gap shows the run of a Rumen trace beside what is possible",
    "slotwise/audits/1": "slotwise gap shows the run of a Rumen trace beside what is possible",
    "slotwise/history/1": "slotwise import rumen makes an instance of the trace itself",
    "solve --objective": "the makespan is made least",
    "verify --html": "slotwise verify says what each proof shows",
}
"""By command ("import spark"), by command and option ("simulate --replan"), by format or theorem,
by field ("field jobs, release"): the rest of the line."""


def removed(name: str) -> str | None:
    """The line about something that is no longer there, None for what never was."""
    return f"{name} is no longer there: {REMOVED[name]}" if name in REMOVED else None
