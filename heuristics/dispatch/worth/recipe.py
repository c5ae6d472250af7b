"""What the worth of room is computed from, as `dispatcher` has it, which is copied on its own."""

from ..dispatcher import Layer, Recipe, TableRecipe, mean_duration, predictability, worth_recipe

__all__ = ["Layer", "Recipe", "TableRecipe", "mean_duration", "predictability", "worth_recipe"]
