"""Checkers: one file for each family of pitfalls that raise nothing.

A checker listens to events of a run, keeps what it needs in its own fields, and notes the pitfalls
that it finds. `registry.py` lists all of them.
"""
