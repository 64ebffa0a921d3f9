"""AG438: a new optimizer is made for each step."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class OptimizerMadeAnew(SilentRule):
    """A new optimizer is made for each step, and forgets its running averages.

    ## What it does

    Finds optimizers with a state (`Adam`, `RMSprop`, `SGD` with momentum) that a loop makes anew
    in each iteration, of the same parameters, and that step once each.

    ## Why it is bad

    The first step of Adam goes the full learning rate in the direction of the sign of the gradient,
    however small that is. An optimizer that only makes first steps neither averages gradients nor
    adapts to their size, and momentum never builds up. Nothing is raised.

    ## Example

    ```python
    import torch

    w = torch.ones(1, requires_grad=True)
    for step in range(3):
        optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
        w.sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    assert w.item() < 0.5
    ```

    ## Use instead

    ```python
    import torch

    w = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    for step in range(3):
        w.sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    assert w.item() < 0.5
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.optim](https://docs.pytorch.org/docs/stable/optim.html#constructing-it)
    """

    code = "AG438"
    name = "optimizer-made-anew"
    kinds = frozenset({Pitfall.RENEWED})
    message = "a new {operator} is made for each step: what it averages over steps begins anew"
    label = "made in each iteration"
    reason = "moments and momentum are the state of an optimizer, which a new one does not have"
    advice = "make the optimizer once, before the loop"
    events = (("modified", "its only step"),)
