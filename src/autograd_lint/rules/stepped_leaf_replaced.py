"""AG336: a new leaf takes the place of one that an optimizer steps."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class SteppedLeafReplaced(SilentRule):
    """A new leaf takes the place of one that an optimizer steps.

    ## What it does

    Finds names and attributes that go on from a leaf which an optimizer has stepped to a new
    leaf made of it, where backward then reaches the new one and the optimizer steps again.

    ## Why it is bad

    The optimizer holds the old tensor: its steps do not change the one that the loss is
    computed from.

    ## Example

    ```python
    import torch

    w = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(3):
        before = w.item()
        optimizer.zero_grad()
        w.square().sum().backward()
        optimizer.step()
        moved = w.item() != before
        w = w.clamp(min=0.0).detach().requires_grad_()
    assert moved
    ```

    ## Use instead

    ```python
    import torch

    w = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(3):
        before = w.item()
        optimizer.zero_grad()
        w.square().sum().backward()
        optimizer.step()
        moved = w.item() != before
        with torch.no_grad():
            w.clamp_(min=0.0)
    assert moved
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.optim](https://docs.pytorch.org/docs/stable/optim.html)
    """

    code = "AG336"
    name = "stepped-leaf-replaced"
    kinds = frozenset({Pitfall.LEAF_REPLACED})
    message = "a new leaf takes the place of {tensor} here, which the optimizer goes on stepping"
    label = "a new leaf, unknown to the optimizer"
    reason = "an optimizer changes the tensors that it was given"
    advice = "change the values in place under `no_grad()`, or make a new optimizer"
    events = (("built", "the optimizer is made here"),)
