"""Python: its expressions, its statements, and what calling a value does."""

from __future__ import annotations

from autograd_lint.vm.call_expressions import CALLERS
from autograd_lint.vm.expressions import EXPRESSIONS
from autograd_lint.vm.statements import run_block
from autograd_lint.vm.world import Language

PYTHON = Language(EXPRESSIONS, run_block, CALLERS)
