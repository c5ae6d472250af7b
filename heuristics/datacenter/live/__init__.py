"""Dispatching in somebody's own program, one event at a time.

Machines have places, in order of configuration and number; sets of machines are the bits of
integers: the bit of a machine is `1 << place`.
"""
