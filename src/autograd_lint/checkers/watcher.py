"""Beginning and ending the watch of a run."""

from __future__ import annotations

from autograd_lint.checkers import (
    copies,
    flags,
    graph_breaks,
    leaves,
    memory,
    rebinding,
    singular,
    steps,
    targets,
    writes,
)
from autograd_lint.engine.backward import Pass
from autograd_lint.vm.machine import Interpreter


def begin(interp: Interpreter) -> None:
    """Have the engine tell the watchers of every backward."""

    def passed(walk: Pass) -> None:
        graph_breaks.passed(interp, walk)
        steps.passed(interp, walk)
        targets.passed(interp, walk)
        writes.passed(interp, walk)
        flags.passed(interp, walk)
        singular.passed(interp, walk)

    interp.engine.on_pass = passed


def finish(interp: Interpreter) -> None:
    """Judge what can only be judged when the program has run to its end."""
    graph_breaks.finished(interp)
    rebinding.finished(interp)
    leaves.finished(interp)
    memory.finished(interp)
    steps.finished(interp)
    flags.finished(interp)
    writes.finished(interp)
    copies.finished(interp)
