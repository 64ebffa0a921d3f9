"""AG342: a function is differentiated at zero, where its derivative is infinite."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class SingularAtZero(SilentRule):
    """A function is differentiated at zero, where its derivative is infinite.

    ## What it does

    Finds `sqrt`, `log` or `std` of a value that is certainly zero somewhere: a leaf of zeros, or
    the pairwise distances between the rows of one tensor, which are zero on the diagonal.

    ## Why it is bad

    The gradient there is infinite or NaN, and so is that of every parameter behind it. `torch.norm`
    and `torch.cdist` return zero instead.

    ## Example

    ```python
    import torch

    x = torch.randn(3, 2, requires_grad=True)
    squares = (x.unsqueeze(0) - x.unsqueeze(1)).pow(2).sum(-1)
    squares.sqrt().sum().backward()
    assert x.grad.isfinite().all()
    ```

    ## Use instead

    ```python
    import torch

    x = torch.randn(3, 2, requires_grad=True)
    squares = (x.unsqueeze(0) - x.unsqueeze(1)).pow(2).sum(-1)
    (squares + 1e-12).sqrt().sum().backward()
    assert x.grad.isfinite().all()
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.cdist](https://docs.pytorch.org/docs/stable/generated/torch.cdist.html)
    """

    code = "AG342"
    name = "singular-at-zero"
    kinds = frozenset({Pitfall.SINGULAR_AT_ZERO})
    message = "the derivative of {operator} is infinite here: its argument is zero somewhere"
    label = "differentiated at zero"
    reason = "the gradient is infinite, or not a number"
    advice = (
        "add a small number before {operator}, or use `torch.cdist` or `norm`, which are "
        "defined there"
    )
    events = (("needed", "backward runs through it here"),)
