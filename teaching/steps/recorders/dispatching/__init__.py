"""Recorders of dispatching policies: jobs arrive one by one, machines run several at a time.

`play` goes through arrivals and exits as the simulator does; a `Rule` decides and says why. Each
policy is one class, written from the decision rules in docs/heuristics/dispatch.md: it looks at
every machine and at every waiting job.
"""
