"""How runs are carried out, kept and exported."""
