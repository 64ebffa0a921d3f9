"""The analysis of a file: runs along several paths, and the faults that come of all of them."""

from autograd_lint.analysis.analysed import Analysed
from autograd_lint.analysis.files import analyse, analysed

__all__ = ["Analysed", "analyse", "analysed"]
