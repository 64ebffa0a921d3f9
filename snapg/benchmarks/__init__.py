"""Measurements: how right and how fast the linter is, on known truth and on real code."""
