"""AG423: two optimizers step the same parameters with one gradient."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class SteppedTwice(SilentRule):
    """Two optimizers step the same parameters with one gradient.

    ## What it does

    Finds steps of an optimizer that use gradients which another optimizer has just used, in each
    iteration.

    ## Why it is bad

    The parameters that both optimizers have are moved twice as far, and each optimizer keeps its
    own averages of them. No error is raised.

    ## Example

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    first = torch.optim.SGD([w], lr=1.0)
    second = torch.optim.SGD([w], lr=1.0)
    for epoch in range(2):
        first.zero_grad()
        w.sum().backward()
        first.step()
        second.step()
    assert w.item() == -2
    ```

    ## Use instead

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    v = torch.zeros(1, requires_grad=True)
    first = torch.optim.SGD([w], lr=1.0)
    second = torch.optim.SGD([v], lr=1.0)
    for epoch in range(2):
        first.zero_grad()
        second.zero_grad()
        (w + v).sum().backward()
        first.step()
        second.step()
    assert w.item() == -2
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.optim: taking an optimization step](https://docs.pytorch.org/docs/stable/optim.html#taking-an-optimization-step)
    """

    code = "AG423"
    name = "stepped-twice"
    kinds = frozenset({Pitfall.STEPPED_TWICE})
    message = "this steps parameters that another optimizer has just stepped with the same gradient"
    label = "the gradient is used once more"
    reason = "both optimizers were given these parameters"
    advice = "give each parameter to one optimizer"
    events = (("built", "this optimizer is created here"), ("needed", "used here before"))
