"""Parts of `slotwise simulate`."""
