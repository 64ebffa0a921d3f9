"""AG334: a graph of the gradient is asked for where grad mode is off."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class GraphUnderNoGrad(SilentRule):
    """`create_graph=True` is used where grad mode is off.

    ## What it does

    Finds `create_graph=True` inside `no_grad` or `inference_mode`.

    ## Why it is bad

    `create_graph` enables grad mode for the backward pass: the gradients have graphs, which stay in
    memory, although nothing computed from them in the block is recorded.

    ## Example

    ```python
    import torch

    w = torch.ones(2, requires_grad=True)
    loss = (w**3).sum()
    with torch.no_grad():
        (gradient,) = torch.autograd.grad(loss, w, create_graph=True)
    assert not gradient.requires_grad
    ```

    ## Use instead

    ```python
    import torch

    w = torch.ones(2, requires_grad=True)
    loss = (w**3).sum()
    with torch.no_grad():
        (gradient,) = torch.autograd.grad(loss, w)
    assert not gradient.requires_grad
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.autograd.grad](https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad.html)
    """

    code = "AG334"
    name = "graph-under-no-grad"
    kinds = frozenset({Pitfall.GRAPH_UNDER_NO_GRAD})
    message = "a graph is built here despite {operator}"
    label = "builds a graph of the gradient"
    reason = "`create_graph=True` records the backward pass regardless of the surrounding grad mode"
    advice = "remove `create_graph`, or compute outside {operator}"
