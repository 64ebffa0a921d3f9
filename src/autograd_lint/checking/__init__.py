"""Checking files: one, many in several processes, and what is remembered of them."""
