"""`python -m slotwise`."""

from .entry import main

main()
