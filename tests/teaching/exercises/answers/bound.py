"""A right bound: LB1 corrected, of slotwise."""

import json

import slotwise

NAME = "LB1"


def bound(instance):
    with open("instance.json", "w") as stream:
        json.dump(instance, stream)
    return slotwise.bounds(slotwise.read("instance.json"), [NAME])[NAME]
