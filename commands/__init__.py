"""The commands of the command line, one file each; `slotwise.cli` puts them together."""
