"""The interpreter: walks a program (`ast`) and drives the abstract engine with it."""

from autograd_lint.interpreter.analysis import analyse

__all__ = ["analyse"]
