"""AG314: a gradient is part of a loss, but was computed without `create_graph`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import INNER_STEP, Pitfall
from autograd_lint.findings import Fix
from autograd_lint.places import Place
from autograd_lint.rules.mending import unsafe
from autograd_lint.rules.silent import SilentRule

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class PenaltyWithoutGraph(SilentRule):
    """A gradient is part of a loss, but was computed without `create_graph`.

    ## What it does

    Finds terms of a loss that are computed from the result of `torch.autograd.grad(...)` without
    `create_graph=True` (a gradient penalty), also if a function computes and returns the term; and
    steps of an inner loop along such a gradient, through which an outer loss is differentiated
    (MAML). Not where `create_graph=False` is written out, or the file speaks of the first order.

    ## Why it is bad

    Without `create_graph` the gradient is a constant: the penalty changes the loss, but not its
    gradient.

    ## Example

    ```python
    import torch

    w = torch.ones(2, requires_grad=True)
    x = torch.ones(2, requires_grad=True)
    out = (w * x).pow(2).sum()
    (slope,) = torch.autograd.grad(out, x, retain_graph=True)
    loss = out + slope.pow(2).sum()
    loss.backward()
    assert w.grad.eq(18).all()
    ```

    ## Use instead

    ```python
    import torch

    w = torch.ones(2, requires_grad=True)
    x = torch.ones(2, requires_grad=True)
    out = (w * x).pow(2).sum()
    (slope,) = torch.autograd.grad(out, x, create_graph=True)
    loss = out + slope.pow(2).sum()
    loss.backward()
    assert w.grad.eq(18).all()
    ```

    ## Fix safety

    The fix to `create_graph=True` is unsafe: the term then has a gradient, which costs time and
    memory.

    ## References

    - [torch.autograd.grad](https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad.html)
    """

    code = "AG314"
    name = "penalty-without-graph"
    kinds = frozenset({Pitfall.PENALTY_WITHOUT_GRAPH})
    message = "this gradient is part of a loss, but has no graph: the penalty is a constant"
    label = "computed without `create_graph`"
    reason = "backward through a gradient needs the graph that `create_graph=True` builds"
    advice = "pass `create_graph=True`"
    events = (("needed", "backward through the loss begins here"),)

    def says(self, fault: Fault) -> str:
        if fault.detail == INNER_STEP:
            return "this inner step has no graph: the outer gradient does not go through it"
        return super().says(fault)

    def mend(self, fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
        edits = chunk.mends.set_keyword(place, "create_graph", "True")
        return unsafe("Compute the gradient with `create_graph=True`", edits)
