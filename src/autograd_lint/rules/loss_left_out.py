"""AG431: a term that was added to the loss takes no part in the backward."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class LossLeftOut(SilentRule):
    """A term that was added to the loss takes no part in the backward.

    ## What it does

    Finds sums of losses that no backward begins at, where one of the terms is differentiated by
    itself, and another one never, although it has a graph.

    ## Why it is bad

    The sum is only logged: the model is trained with a part of the loss, and what the other terms
    were to teach it is not learned. No error is raised.

    ## Example

    ```python
    import torch

    w = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    fit = (w - 1).pow(2).mean()
    penalty = w.abs().mean()
    loss = fit + penalty
    print(loss.item())
    fit.backward()
    assert w.grad.item() == 1.0
    optimizer.step()
    ```

    ## Use instead

    ```python
    import torch

    w = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    fit = (w - 1).pow(2).mean()
    penalty = w.abs().mean()
    loss = fit + penalty
    print(loss.item())
    loss.backward()
    assert w.grad.item() == 1.0
    optimizer.step()
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.Tensor.backward](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html)
    """

    code = "AG431"
    name = "loss-left-out"
    kinds = frozenset({Pitfall.LOSS_LEFT_OUT})
    message = "this sum of losses is never differentiated, only one of its terms"
    label = "no backward begins here"
    reason = "the other terms have a graph, but no gradient of theirs is ever computed"
    advice = "call `backward()` on the sum (or return it)"
    events = (("needed", "begins at a term of the sum"),)
