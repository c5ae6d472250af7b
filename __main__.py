"""`python -m slotwise`."""

from .cli import main

main()
