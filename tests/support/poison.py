"""Functions for a campaign that fail in every way there is, and one that does not.

`STATUS` is what must come of each.
"""

import ctypes
import os
import signal
import sys
from dataclasses import replace
from itertools import repeat

from slotwise.heuristics.mapreduce import HEURISTICS
from slotwise.instances.mapreduce.instance import Instance
from slotwise.instances.mapreduce.schedule import Schedule


def works(instance: Instance) -> Schedule:
    """Nothing is wrong with it."""
    return HEURISTICS.lookup("EFSS").load()(instance)


def raises(instance: Instance) -> Schedule:
    """An exception of two lines."""
    raise RuntimeError(f"poisoned\nby {instance.name}")


def kills(instance: Instance) -> Schedule:
    """As the kernel does when memory is short."""
    os.kill(os.getpid(), signal.SIGKILL)
    return works(instance)


def reads(instance: Instance) -> Schedule:
    """Address 0."""
    ctypes.string_at(0)
    return works(instance)


def hangs(instance: Instance) -> Schedule:
    """For ever, in compiled code that lets no other thread of Python run."""
    all(repeat(True))
    return works(instance)


def lies(instance: Instance) -> Schedule:
    """About its makespan."""
    schedule = works(instance)
    return replace(schedule, makespan=schedule.makespan / 2)


def leaves(instance: Instance) -> Schedule:
    """As a script does that has had enough."""
    sys.exit(f"no more of {instance.name}")


def leaves_at_once(instance: Instance) -> Schedule:
    """Without a word."""
    os._exit(0)


STATUS = {
    "works": "feasible",
    "raises": "error",
    "kills": "crashed",
    "reads": "crashed",
    "hangs": "crashed",
    "lies": "error",
    "leaves": "error",
    "leaves_at_once": "crashed",
}
