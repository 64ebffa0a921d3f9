"""The cheapest experiment that would tell the first candidates apart, or confirm the only one."""

from __future__ import annotations

from pathlib import Path

from autograd_lint.diagnosis.evidence import Evidence
from autograd_lint.diagnosis.fitting import Way
from autograd_lint.diagnosis.ranking import Ranked
from autograd_lint.engine.faults import FaultKind
from autograd_lint.project.cells import cell_of

_CLEAR = 0.8  # a probability at which nothing needs to be told apart


def experiment(evidence: Evidence, ranked: Ranked, way: Way) -> str:
    """What to do to be sure, in one sentence; empty where the answer is clear."""
    candidates = ranked.candidates
    if candidates and candidates[0].probability >= _CLEAR:
        return ""
    error = evidence.topic.error
    if error is FaultKind.SAVED_TENSOR_MODIFIED and not evidence.forward:
        if len(candidates) > 1:
            first = candidates[0].finding.place
            where = f"{Path(first.filename).name}:{first.row}"
            return (
                f"`{_trace(way)}` names the write itself; without a tracer, make the write of "
                f"{where} out of place (`x = x + y` for `x += y`): it was to blame if"
                f" the error goes"
                " away or names another tensor"
            )
        return f"`{_trace(way)}` runs the program and names the write"
    if error in (FaultKind.NO_GRAD_ROOT, FaultKind.UNUSED_INPUT):
        return (
            "print `x.requires_grad, x.grad_fn` of what the loss is computed from, the last first:"
            " the graph ends at the first that prints `False None`"
        )
    if error is FaultKind.GRAPH_FREED and len(candidates) > 1:
        return (
            f"`{_trace(way)}` names the call that freed the graph; or `detach()` what the first"
            " candidate keeps: the error goes away if it was to blame"
        )
    if error in (FaultKind.LEAF_MODIFIED, FaultKind.LEAF_VIEW_MODIFIED):
        return (
            "print `x.is_leaf, x.requires_grad` before each candidate: the one at fault prints"
            " True twice"
        )
    return f"`{_trace(way)}` runs the program under the tracer" if candidates else ""


def _trace(way: Way) -> str:
    """The command that traces the program, as far as one knows how it is started."""
    first = way.steps[0] if way.steps else None
    if first is None or first.function not in ("<module>", "") or cell_of(first.filename):
        return "autograd-lint trace SCRIPT"
    return f"autograd-lint trace {Path(first.filename).name}"
