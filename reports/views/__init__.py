"""How instances and solutions show themselves: tables, notebooks and plots."""
