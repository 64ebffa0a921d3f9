"""AG430: the test that is to end an accumulation window is true in the wrong iterations."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import LEFT_OVER, PRECEDENCE, Pitfall
from autograd_lint.rules.silent import SilentRule


class WindowMisjudged(SilentRule):
    """The test that is to end an accumulation window is true in the wrong iterations.

    ## What it does

    Finds conditions around `optimizer.step()` that compute a remainder of the wrong number
    (`i + 1 % n == 0` is `i + (1 % n) == 0`), and those that are true in every iteration but the
    last of a window (`if (i + 1) % n:`). `trace` also finds steps that use the rest of an epoch
    beside their own window.

    ## Why it is bad

    The optimizer never steps, or it steps with the gradients of a few batches and clears them,
    and the last gradients of each window go into the next one. No error is raised.

    ## Example

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    for i in range(8):
        (w.sum() / 4).backward()
        if i + 1 % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
    assert w.item() == -1.0
    ```

    ## Use instead

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    for i in range(8):
        (w.sum() / 4).backward()
        if (i + 1) % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
    assert w.item() == -1.0
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Python: operator precedence](https://docs.python.org/3/reference/expressions.html#operator-precedence)
    - [Gradient accumulation](https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-accumulation)
    """

    code = "AG430"
    name = "window-misjudged"
    kinds = frozenset({Pitfall.WINDOW_MISJUDGED})
    message = "{tensor} is true in all iterations but the last of each accumulation window"
    label = "is true in the wrong iterations"
    reason = "the optimizer is to step once for each window, with the gradients of all its batches"
    advice = "step where the remainder is zero: `if (i + 1) % n == 0:`"

    def says(self, fault: Fault) -> str:
        if fault.detail == PRECEDENCE:
            return "in {tensor} the remainder is that of the number alone"
        if fault.detail == LEFT_OVER:
            return "this step also uses the batches that were left at the end of the last epoch"
        return super().says(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == LEFT_OVER:
            return "the number of batches is no multiple of the window, and nothing clears the rest"
        if fault.detail == PRECEDENCE:
            return "`%` binds more strongly than `+`, so the sum is not zero in any later iteration"
        return super().explains(fault)

    def labels(self, fault: Fault) -> str:
        return "uses more than one window" if fault.detail == LEFT_OVER else super().labels(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == LEFT_OVER:
            return "step, or clear the gradients, at the end of each epoch"
        return super().advises(fault)
