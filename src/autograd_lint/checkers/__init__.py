"""Watching a run for what raises nothing: one file for each family of pitfalls.

The interpreter calls the watchers at a handful of events; what they see they keep in the run's
`Watch`, and what they find they note at the engine.
"""
