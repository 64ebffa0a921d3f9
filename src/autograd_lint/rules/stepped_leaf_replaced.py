"""AG336: a new leaf takes the place of one that an optimizer steps."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class SteppedLeafReplaced(SilentRule):
    """A parameter of an optimizer is replaced by a new leaf.

    ## What it does

    Finds names and attributes that refer to a leaf which an optimizer updates, and are then
    assigned a new leaf made from it, where backward reaches the new one and the optimizer steps
    again.

    ## Why it is bad

    The optimizer still holds the old tensor: its steps do not change the one that the loss is
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
    message = (
        "{tensor} is replaced by a new leaf here, but the optimizer keeps updating the old one"
    )
    label = "a new leaf, unknown to the optimizer"
    reason = "an optimizer only updates the tensors it was given"
    advice = "change the values in place under `no_grad()`, or create a new optimizer"
    events = (("built", "the optimizer is created here"),)
