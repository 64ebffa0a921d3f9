"""AG122: a write to the function's own tensor, which is the caller's under a condition."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class ArgumentTakenForOwn(SilentRule):
    """What a function modifies in place is its own tensor on one path, and an argument on another.

    ## What it does

    Finds writes to a name that a condition binds to a new tensor on one side, and to an argument on
    the other, in functions that do not return what they have written.

    ## Why it is bad

    The code is written as if the tensor were always new. On the other path it modifies the caller's
    tensor: the next call begins with other values, and a leaf that requires grad, or a tensor that
    an operator has saved, is refused by autograd.

    ## Example

    ```python
    import torch


    def dilate(image, mask, heights=None):
        if heights is None:
            own = torch.zeros(3)
        else:
            own = heights
        own[mask] = -1e4
        return (image + own).max()


    image = torch.ones(3, requires_grad=True)
    heights = torch.zeros(3)
    dilate(image, torch.tensor([True, False, True]), heights).backward()
    assert heights.min() == 0
    ```

    ## Use instead

    ```python
    import torch


    def dilate(image, mask, heights=None):
        if heights is None:
            own = torch.zeros(3)
        else:
            own = heights.clone()
        own[mask] = -1e4
        return (image + own).max()


    image = torch.ones(3, requires_grad=True)
    heights = torch.zeros(3)
    dilate(image, torch.tensor([True, False, True]), heights).backward()
    assert heights.min() == 0
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [In-place operations with autograd](https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd)
    """

    code = "AG122"
    name = "argument-taken-for-own"
    kinds = frozenset({Pitfall.TAKEN_FOR_OWN})
    message = (
        "{operator} modifies the argument {tensor}, which only a condition replaces by a new tensor"
    )
    label = "modifies the caller's tensor"
    reason = "on the other side of the condition the same code has a tensor of its own"
    advice = "copy it first: `x = x.clone()`, or use an out-of-place operator"
