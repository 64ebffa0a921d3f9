"""AG113: values of a graph are overwritten by an operator without a derivative."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class WriteWithoutDerivative(SilentRule):
    """Values with a graph are overwritten by an operator without a derivative.

    ## What it does

    Finds in-place comparisons (`gt_`, `eq_`, ...) and logical operators (`logical_not_`, ...) on
    tensors that backward reaches afterwards.

    ## Why it is bad

    After a comparison every gradient is zero; after a logical operator it is that of the old
    values, as if nothing had been written. PyTorch raises no error for either.

    ## Example

    ```python
    import torch

    x = torch.tensor([0.2, 0.8], requires_grad=True)
    hidden = x * 2
    hidden.gt_(1.0)
    hidden.sum().backward()
    assert x.grad.any()
    ```

    ## Use instead

    ```python
    import torch

    x = torch.tensor([0.2, 0.8], requires_grad=True)
    hidden = x * 2
    mask = hidden > 1.0
    (hidden * mask).sum().backward()
    assert x.grad.any()
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.Tensor.gt_](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.gt_.html)
    """

    code = "AG113"
    name = "write-without-derivative"
    kinds = frozenset({Pitfall.WRITE_WITHOUT_DERIVATIVE})
    message = "{operator} overwrites values that have a graph, but has no derivative"
    label = "the gradient from here on is zero, or that of the old values"
    reason = "autograd keeps the node of the old values"
    advice = "compare out of place, and use the result as a mask"
    events = (("needed", "backward runs through it here"),)
