"""AG502: `retain_graph` or `create_graph` is asked for, but nothing uses the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.findings import Fix
from autograd_lint.places import Place
from autograd_lint.rules.mending import safe
from autograd_lint.rules.silent import SilentRule

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class NeedlessRetainGraph(SilentRule):
    """`retain_graph` or `create_graph` is set, but nothing uses the graph.

    ## What it does

    Finds loops whose only backward is called with `retain_graph=True` or `create_graph=True`,
    although nothing uses the graph again.

    ## Why it is bad

    The saved tensors stay in memory longer than needed; `create_graph=True` also creates a
    reference cycle between parameters and gradients.

    ## Example

    ```python
    import torch

    w = torch.ones(2, requires_grad=True)
    for _ in range(2):
        loss = w.pow(3).sum()
        loss.backward(create_graph=True)
    assert w.grad.grad_fn is None
    ```

    ## Use instead

    ```python
    import torch

    w = torch.ones(2, requires_grad=True)
    for _ in range(2):
        loss = w.pow(3).sum()
        loss.backward()
    assert w.grad.grad_fn is None
    ```

    ## Fix safety

    The fix to remove it is safe if the finding is certain: gradients stay the same.

    ## References

    - [torch.Tensor.backward](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html)
    """

    code = "AG502"
    name = "needless-retain-graph"
    kinds = frozenset({Pitfall.NEEDLESS_RETAIN})
    message = "{operator} keeps a graph that is never used again"
    label = "not needed"
    reason = "no backward runs through this graph a second time"
    advice = "remove {operator}"

    def mend(self, fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
        edits = chunk.mends.drop_keyword(place, fault.operator)
        return safe(f"Remove `{fault.operator}`", edits, fault)
