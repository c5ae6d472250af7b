"""A method that takes as long as it is told, for campaigns and their workers."""

import time

import slotwise


def naps(instance: slotwise.Instance, seconds: float) -> slotwise.Schedule:
    """EFSS after a pause."""
    time.sleep(seconds)
    return slotwise.heuristic(instance, "EFSS").schedule
