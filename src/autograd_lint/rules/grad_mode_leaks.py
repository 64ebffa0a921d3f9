"""AG332: grad mode stays off outside of where it was switched off."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class GradModeLeaks(SilentRule):
    """Grad mode stays disabled after the code that disabled it.

    ## What it does

    Finds functions that call `torch.set_grad_enabled(False)` and return without restoring it, files
    that call it when a training program imports them, and generators that `yield` inside
    `with torch.no_grad():` to a training loop, or to a loop that computes a part of a loss.

    ## Why it is bad

    Everything computed afterwards has no graph and is not trained.

    ## Example

    ```python
    import torch


    def evaluate(w):
        torch.set_grad_enabled(False)
        return w * 2


    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    evaluate(w)
    loss = w.sum()
    if loss.requires_grad:
        loss.backward()
    optimizer.step()
    torch.set_grad_enabled(True)
    assert w.grad is not None
    ```

    ## Use instead

    ```python
    import torch


    def evaluate(w):
        with torch.set_grad_enabled(False):
            return w * 2


    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    evaluate(w)
    loss = w.sum()
    loss.backward()
    optimizer.step()
    assert w.grad is not None
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Autograd mechanics: locally disabling gradient computation](https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation)
    """

    code = "AG332"
    name = "grad-mode-leaks"
    kinds = frozenset({Pitfall.MODE_LEAKS})
    message = "the grad mode that {operator} sets here stays on in the code that runs next"
    label = "leaks from here"
    reason = "grad mode belongs to the thread, not to the function"
    advice = "write `with torch.no_grad():` around what needs it, and no `yield` inside"
    events = (("modified", "this step runs in the leaked mode"),)
