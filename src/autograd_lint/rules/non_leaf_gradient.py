"""AG315: the `.grad` of a tensor that is no leaf is read."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class NonLeafGradient(SilentRule):
    """The `.grad` of a tensor that is no leaf is read.

    ## What it does

    Finds reads of `.grad`, after backward, of tensors that an operator made and that do not
    retain their gradient.

    ## Why it is bad

    Only leaves get a `.grad`: it is `None` here, whatever backward computed. PyTorch warns, and
    goes on.

    ## Example

    ```python
    import torch

    w = torch.ones(2, requires_grad=True) * 0.1
    w.sum().backward()
    assert w.grad is not None
    ```

    ## Use instead

    ```python
    import torch

    w = (torch.ones(2) * 0.1).requires_grad_()
    w.sum().backward()
    assert w.grad is not None
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.Tensor.grad](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.grad.html)
    - [torch.Tensor.retain_grad](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.retain_grad.html)
    """

    code = "AG315"
    name = "non-leaf-gradient"
    kinds = frozenset({Pitfall.NON_LEAF_GRAD})
    message = "{tensor} is no leaf, so its `.grad` stays `None`"
    label = "never filled"
    reason = "{operator} made {tensor}: its gradient is passed on and dropped"
    advice = (
        "make the leaf last (`requires_grad_()` on the finished tensor), or call "
        "`retain_grad()` before backward"
    )
    events = (("built", "made by {operator} here"),)
