"""AG111: a tensor is modified in place after a hook was put on it."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class ObservedTensorModified(SilentRule):
    """A tensor is modified in place after a hook was registered on it.

    ## What it does

    Finds results of operators on which `register_hook` or `retain_grad` was called, and which are
    modified in place after that.

    ## Why it is bad

    A hook stays with the value the tensor had and sees the gradient with respect to that value.
    `retain_grad` follows the tensor: `.grad` is the gradient of the new value. Either can be a
    surprise.

    ## Example

    ```python
    import torch

    x = torch.ones(2, requires_grad=True)
    hidden = x * 2
    seen = []
    hidden.register_hook(seen.append)
    hidden.mul_(3)
    hidden.sum().backward()
    assert seen[0].sum() == 2
    ```

    ## Use instead

    ```python
    import torch

    x = torch.ones(2, requires_grad=True)
    hidden = x * 2
    hidden.mul_(3)
    seen = []
    hidden.register_hook(seen.append)
    hidden.sum().backward()
    assert seen[0].sum() == 2
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Backward hooks execution](https://docs.pytorch.org/docs/stable/notes/autograd.html#behavior-of-tensor-hooks-when-tensor-is-modified-in-place)
    """

    code = "AG111"
    name = "observed-tensor-modified"
    kinds = frozenset({Pitfall.OBSERVED_MODIFIED})
    message = (
        "{tensor} is modified after {operator}, so the gradient seen there belongs to another value"
    )
    label = "modified here"
    reason = "hooks stay with the value the tensor had, `retain_grad()` follows its final value"
    advice = "register it after the last in-place write, or write out of place"
    events = (("built", "requested here"),)
