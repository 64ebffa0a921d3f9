"""Findings tried on the real engine: a witness is built, run in a sandbox, and judged."""
