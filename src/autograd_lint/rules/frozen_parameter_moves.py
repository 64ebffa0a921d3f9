"""AG327: a parameter is frozen while its old gradient is still there."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class FrozenParameterMoves(SilentRule):
    """A parameter is frozen while its old gradient is still there.

    ## What it does

    Finds parameters of an optimizer whose `requires_grad` is switched off while `.grad` holds
    a gradient that was used already, and on which the optimizer then steps.

    ## Why it is bad

    An optimizer looks at `.grad`, not at `requires_grad`: it uses the old gradient again at
    every step, and momentum and weight decay with it.

    ## Example

    ```python
    import torch

    w = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    w.sum().backward()
    optimizer.step()
    w.requires_grad_(False)
    before = w.item()
    optimizer.step()
    assert w.item() == before
    ```

    ## Use instead

    ```python
    import torch

    w = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    w.sum().backward()
    optimizer.step()
    w.requires_grad_(False)
    w.grad = None
    before = w.item()
    optimizer.step()
    assert w.item() == before
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.optim](https://docs.pytorch.org/docs/stable/optim.html)
    """

    code = "AG327"
    name = "frozen-parameter-moves"
    kinds = frozenset({Pitfall.FROZEN_MOVES})
    message = "{tensor} is frozen here, but the optimizer still moves it"
    label = "frozen with its last gradient"
    reason = "`step()` uses `.grad`, which still holds the gradient of the last backward"
    advice = "set `.grad` to None (`zero_grad()`) before freezing, or create a new optimizer"
    events = (("modified", "this step uses the old gradient"),)
