"""Recorders of dispatching policies: jobs arrive one by one, machines run several at a time.

`record` goes through arrivals and exits as the simulator does; a `Rule` decides and says why. Each
policy is one class, written from the decision rules in docs/heuristics/dispatch.md: it looks at
every machine and at every waiting job.
"""

JOBS, LOAD = 30, 2.0
"""What is drawn unless somebody asks for other jobs: few, and more than can be carried, so that
some wait."""
