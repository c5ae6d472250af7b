"""What older files and command lines name and is no longer there, and what to do instead."""

from __future__ import annotations

_TABLE = """
--max-input: an input may have 2 GB of text
audit / slotwise/audit/1 / slotwise/audits/1: \
slotwise gap shows the run of a Rumen trace beside what is possible
campaign --where: slotwise.read_runs(FOLDER) gives a data frame, which pandas filters
examples: slotwise list examples shows them
exercises: slotwise grade --list shows them
explain --guidance --jobs --load --noise --optimum --parameter --scale --seed --slides --trace: \
slotwise steps has it
explain --highs: slotwise lesson has it
explain --html: -o FILE.html writes the page
explain --lesson: slotwise lesson MODEL -o FILE.html
fair --admit: slotwise fair shows what each node holds, may hold, and what is full
fair --certificate: slotwise check HIERARCHY ALLOCATION says whether shares are fair
fair --compare: slotwise fair --json of both trees, with tasks 0 for leaves that are idle
fair --flat: the tree itself is written
fair --leaf-map --tolerance: it went with --compare
fair --on: docs/heuristics/limits.md says where a scheduler does something else
fair --use: it went with --admit
field jobs, release: all jobs are there at time 0, so leave it out
field jobs, weight: every job counts the same, so leave it out
field on: an allocation is that of its method, so leave it out
grade --reveal: the smallest instance is always shown
guide --export: an adapter of your own asks POST /v1/score of `slotwise serve`
import jhist: make a trace with Hadoop's TraceBuilder and use slotwise import rumen
import kai / import slurm / import spark-pools / import volcano: \
docs/how-to/queues-by-hand.md says how to write a slotwise/hierarchy/2 of its queues
import openb --failed / import rumen --duplicates --failed-jobs --output-bytes --unfinished \
--subtract-read --no-subtract-read / import swim --cap-reduces --no-cap-reduces: \
docs/how-to/importing.md says how such files are read
import kueue --local-queues: they are read where their ClusterQueue has an admissionScope
import rumen-history: use slotwise import rumen
import spark: slotwise reads no logs of Spark
objective mean: every result is of the makespan, so solve the instance again
reproduce --compress --datacenter --scale --trace: slotwise simulate DATACENTER --trace JOBS runs \
policies on jobs of your own
schema: slotwise list schemas NAME prints it
serve --kubernetes --resource: an adapter of your own asks POST /v1/score
serve --replan: cron runs `slotwise guide` and gives its plan to PUT /v1/guidance
serve --rate --tls-client-ca: a proxy in front of it limits rates and asks for certificates
simulate --certificate: simulate --bound computes the bound, nothing proves it
simulate --gamma: slotwise.simulate(…, gamma=…) and studies take it
simulate --keep-after: no policy keeps machines for jobs that wait
simulate --mix: give the shares in the datacenter's file
simulate --replan: guide plans for a new mix, simulate --guidance follows that plan
slotwise/history/1: slotwise import rumen makes an instance of the trace itself
solve --objective: the makespan is made least
verify --html: slotwise verify says what each proof shows
"""

REMOVED = {
    f"{command} --{option}" if option else command: line
    for names, line in (row.split(": ", 1) for row in _TABLE.strip().splitlines())
    for command, *options in (name.split(" --") for name in names.split(" / "))
    for option in options or [""]
}
"""What to do instead of a command, a format or field, or of options of a command."""


def removed(name: str) -> str | None:
    """The line about something that is no longer there, None for what never was."""
    return f"{name} is no longer there: {REMOVED[name]}" if name in REMOVED else None
