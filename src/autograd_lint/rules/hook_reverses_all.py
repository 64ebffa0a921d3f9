"""AG612: a gradient is reversed for all terms of a loss, not for the adversary alone."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class HookReversesAll(SilentRule):
    """A gradient reversal stands where all terms of the loss go through it.

    ## What it does

    Finds a hook, or a custom Function, that gives its gradient back with a minus, on a tensor that
    several terms of the loss are computed from, where nothing but reversed gradients reaches what
    is trained behind it.

    ## Why it is bad

    A reversal is there for one term, that of the adversary. A hook on a tensor is given the sum of
    the gradients of all that was computed from the tensor: the layers in front of it then learn to
    make the other terms larger, too.

    ## Example

    ```python
    import torch

    w = torch.ones(1, requires_grad=True)
    features = 2 * w
    features.register_hook(lambda grad: -grad)
    task, adversary = features**3, features.square()
    (task + adversary).sum().backward()
    assert w.grad.item() == 24 - 8
    ```

    ## Use instead

    ```python
    import torch

    w = torch.ones(1, requires_grad=True)
    features = 2 * w
    against = features.view_as(features)
    against.register_hook(lambda grad: -grad)
    task, adversary = features**3, against.square()
    (task + adversary).sum().backward()
    assert w.grad.item() == 24 - 8
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.Tensor.register_hook](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.register_hook.html)
    """

    code = "AG612"
    name = "hook-reverses-all"
    kinds = frozenset({Pitfall.REVERSED_FOR_ALL})
    message = "this reverses the gradients of all terms that are computed from {tensor}"
    label = "turns the gradient round"
    reason = "what comes before it learns to make every one of these terms larger"
    advice = "reverse a tensor of its own that the adversary alone is given: `x.view_as(x)`"
    events = (("needed", "backward runs through it here"),)
