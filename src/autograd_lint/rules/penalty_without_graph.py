"""AG314: a gradient is part of a loss, but was computed without `create_graph`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import CUT_PENALTY, INNER_STEP, Pitfall
from autograd_lint.findings import Fix
from autograd_lint.places import Place
from autograd_lint.rules.mending import unsafe
from autograd_lint.rules.silent import SilentRule

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class PenaltyWithoutGraph(SilentRule):
    """A gradient is part of a loss, but was computed without `create_graph`.

    ## What it does

    Finds terms of a loss that are computed from the result of `torch.autograd.grad(...)`, or of
    `jacobian`, `hessian`, `vjp` or `jvp` of `torch.autograd.functional`, without
    `create_graph=True` (a gradient penalty), also if a function computes and returns the term; and
    steps of an inner loop along such a gradient, through which an outer loss is differentiated
    (MAML). Also terms whose gradient has a graph, which is then cut by `detach()`, `.item()` or
    `no_grad`. Not where `create_graph=False` is written out, or the file speaks of the first order.

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
    events = (
        ("built", "computed with a graph here"),
        ("needed", "backward through the loss begins here"),
    )

    def says(self, fault: Fault) -> str:
        if fault.detail == INNER_STEP:
            return "this inner step has no graph: the outer gradient does not go through it"
        if fault.detail == CUT_PENALTY:
            return "this penalty on a gradient is cut out of the loss: it is a constant"
        return super().says(fault)

    def labels(self, fault: Fault) -> str:
        if fault.detail == CUT_PENALTY:
            return "{operator} ends the graph here"
        return super().labels(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == CUT_PENALTY:
            return "the graph that `create_graph=True` has built is used by no backward"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == CUT_PENALTY:
            return "add the penalty with its graph to the loss"
        return super().advises(fault)

    def mend(self, fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
        if fault.detail == CUT_PENALTY:
            edits = chunk.mends.drop_method(place, "detach", "data", "item")
            return unsafe("Keep it in the graph", edits)
        edits = chunk.mends.set_keyword(place, "create_graph", "True")
        return unsafe("Compute the gradient with `create_graph=True`", edits)
