"""Dispatching in somebody's own program, one event at a time. Only the standard library is used.

Machines have places, in order of configuration and number; sets of machines are the bits of
integers: the bit of a machine is `1 << place`. `single_file` joins the modules into one file.
"""
