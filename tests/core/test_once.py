"""What is worked out of an object is kept with that object, and with no other."""

from dataclasses import dataclass, replace

from slotwise.core.once import once


@dataclass(frozen=True)
class Thing:
    value: int


def test_worked_out_once_for_each_object():
    calls = []

    @once
    def doubled(thing):
        calls.append(thing.value)
        return [2 * thing.value]

    @once
    def nothing(thing):
        calls.append(None)

    thing = Thing(3)
    assert doubled(thing) is doubled(thing)
    assert doubled(replace(thing, value=4)) == [8]
    assert (nothing(thing), nothing(thing)) == (None, None)
    assert doubled(thing) == [6]
    assert calls == [3, 4, None]
