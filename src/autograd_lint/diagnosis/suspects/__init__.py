"""Statements that could be to blame by their form alone, where no run shows what went wrong."""

from autograd_lint.diagnosis.suspects.suspecting import Suspect, suspects

__all__ = ["Suspect", "suspects"]
