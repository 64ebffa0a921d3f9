"""The interpreter: walks a program (`ast`) and drives the abstract engine with it."""

from autograd_lint.interpreter.runs.analysis import Analysed, analyse, analysed

__all__ = ["Analysed", "analyse", "analysed"]
