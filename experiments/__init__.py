"""Campaigns and the papers' experiments: studies, the engine that runs them, what they leave."""
