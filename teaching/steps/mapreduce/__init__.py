"""Plain statements of the methods, which record what each decision was between."""
