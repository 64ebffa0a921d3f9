"""AG412: gradients are computed again and again, and their optimizer never steps."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class OptimizerNeverSteps(SilentRule):
    """Gradients are computed in every iteration, but their optimizer never steps.

    ## What it does

    Finds optimizers whose parameters get gradients from several backward passes, in programs that
    never call `step()`: the gradients pile up, or are cleared in each iteration, and nothing reads
    them. The `step()` of a scheduler changes no parameter. Also finds the one of several optimizers
    that never steps, although its gradients are cleared for a backward of its own.

    ## Why it is bad

    Nothing is trained: gradients only accumulate, or are thrown away.

    ## Example

    ```python
    import torch

    w = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(3):
        w.square().sum().backward()
    assert w.item() != 1
    ```

    ## Use instead

    ```python
    import torch

    w = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        w.square().sum().backward()
        optimizer.step()
    assert w.item() != 1
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.optim](https://docs.pytorch.org/docs/stable/optim.html)
    """

    code = "AG412"
    name = "optimizer-never-steps"
    kinds = frozenset({Pitfall.NEVER_STEPPED})
    message = "backward gives {tensor} gradients, but its optimizer never steps"
    label = "adds gradients that nothing uses"
    reason = "backward computes gradients; only `step()` changes parameters"
    advice = "call `zero_grad()` before backward and `step()` after it"
    events = (("built", "the optimizer is created here"),)
