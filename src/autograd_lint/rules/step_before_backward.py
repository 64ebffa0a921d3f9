"""AG403: an optimizer steps before backward has computed gradients."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class StepBeforeBackward(SilentRule):
    """An optimizer steps before backward has computed gradients.

    ## What it does

    Finds optimizers whose `step()` never finds a gradient, because backward only comes after it.

    ## Why it is bad

    The step does nothing, or uses the gradients of an earlier batch.

    ## Example

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    for _ in range(3):
        optimizer.zero_grad()
        loss = w.sum()
        optimizer.step()
        loss.backward()
    assert w.item() == -3
    ```

    ## Use instead

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    for _ in range(3):
        optimizer.zero_grad()
        loss = w.sum()
        loss.backward()
        optimizer.step()
    assert w.item() == -3
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.optim: taking an optimization step](https://docs.pytorch.org/docs/stable/optim.html#taking-an-optimization-step)
    """

    code = "AG403"
    name = "step-before-backward"
    kinds = frozenset({Pitfall.STEP_BEFORE_BACKWARD})
    message = "`step()` never finds a gradient here: backward comes after it"
    label = "no gradients yet"
    reason = "`step()` uses the gradients that `backward()` has put into `.grad`"
    advice = "call `step()` after `backward()`"
