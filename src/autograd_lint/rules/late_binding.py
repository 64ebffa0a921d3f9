"""AG352: a checkpoint is given a closure that looks up what a loop has changed by then."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class LateBinding(SilentRule):
    """A checkpoint runs a function of a loop again when the variables of the loop have changed.

    ## What it does

    Finds functions and lambdas that are made in a loop, read a variable that the loop sets anew in
    each iteration, and are given to a checkpoint, which backward runs after the loop.

    ## Why it is bad

    A function looks its variables up when it is run. In backward all functions of the loop see what
    its last iteration has set: the checkpoint runs the last layer again in the place of each of
    them. Gradients are wrong, and nothing is raised.

    ## Example

    ```python
    import torch
    from torch.utils.checkpoint import checkpoint

    layers = [torch.nn.Linear(2, 2) for _ in range(2)]
    start = x = torch.ones(1, 2, requires_grad=True)
    for layer in layers:
        x = checkpoint(lambda t: layer(t), x, use_reentrant=False)
    x.sum().backward()
    assert torch.allclose(start.grad[0], (layers[1].weight @ layers[0].weight).sum(0))
    ```

    ## Use instead

    ```python
    import torch
    from torch.utils.checkpoint import checkpoint

    layers = [torch.nn.Linear(2, 2) for _ in range(2)]
    start = x = torch.ones(1, 2, requires_grad=True)
    for layer in layers:
        x = checkpoint(layer, x, use_reentrant=False)
    x.sum().backward()
    assert torch.allclose(start.grad[0], (layers[1].weight @ layers[0].weight).sum(0))
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.utils.checkpoint](https://docs.pytorch.org/docs/stable/checkpoint.html)
    - [Python: lambdas defined in a loop](https://docs.python.org/3/faq/programming.html#why-do-lambdas-defined-in-a-loop-with-different-values-all-return-the-same-result)
    """

    code = "AG352"
    name = "late-binding"
    kinds = frozenset({Pitfall.BOUND_LATE})
    message = "backward runs this when {tensor} means what the last iteration has set"
    label = "handed over here, and run later"
    reason = "a function looks its variables up when it is run, not when it is made"
    advice = (
        "hand the value over: as an argument, as a default (`lambda t, x=x: ...`), by `partial`"
    )
    events = (("built", "looks it up"), ("needed", "run from here"))
    unnamed = "a variable"
