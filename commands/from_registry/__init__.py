"""Verbs whose subcommands come from a registry: `slotwise generate` and `slotwise import`."""
