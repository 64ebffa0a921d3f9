"""AG313: backward is called on a copy of a loss, which has no graph."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class LossRebuilt(SilentRule):
    """Backward is called on a copy of a loss, which has no graph.

    ## What it does

    Finds losses that were copied out of their graph (`item()`, `torch.tensor(loss)`, `no_grad()`)
    and made to require grad again with `requires_grad=True`, and functions that return such a copy.

    ## Why it is bad

    `requires_grad=True` silences the error that backward would have raised, but does not restore
    the graph: only the copy gets a gradient.

    ## Example

    ```python
    import torch

    w = torch.ones(2, requires_grad=True)
    loss = (w * 2).sum()
    total = torch.tensor(loss.item(), requires_grad=True)
    total.backward()
    assert w.grad is not None
    ```

    ## Use instead

    ```python
    import torch

    w = torch.ones(2, requires_grad=True)
    loss = (w * 2).sum()
    loss.backward()
    assert w.grad is not None
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.tensor](https://docs.pytorch.org/docs/stable/generated/torch.tensor.html)
    """

    code = "AG313"
    name = "loss-rebuilt"
    kinds = frozenset({Pitfall.LOSS_REBUILT})
    message = "{tensor} was detached from its graph: `backward()` reaches no parameter"
    label = "requires grad again from here"
    reason = "a detached copy has no graph, so no parameter gets a gradient"
    advice = "call `backward()` on the loss itself; join several losses with `torch.stack` or `+`"
    events = (
        ("built", "the graph ends here"),
        ("needed", "backward begins here"),
    )
