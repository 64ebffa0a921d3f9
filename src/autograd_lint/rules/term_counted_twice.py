"""AG433: a loss that was walked already is a term of the sum that is walked next."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class TermCountedTwice(SilentRule):
    """A step counts a loss more than once: a later backward goes through it again.

    ## What it does

    Finds two backwards before one step, where the loss of the first is a term of the sum that the
    second begins with: a running sum of losses with a backward in each iteration, or a part of a
    loss that is walked by itself and once more with the rest.

    ## Why it is bad

    `.grad` adds up what each backward gives, and so the first term has twice the weight of the
    second. In a loop over `n` batches the first one counts `n` times. `retain_graph=True` is all
    that keeps PyTorch from refusing the second backward.

    ## Example

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    total = 0.0
    for batch in torch.ones(3, 2):
        total = total + (batch * w).mean() / 3
        total.backward(retain_graph=True)
    optimizer.step()
    assert abs(w.item() + 1) < 1e-6
    ```

    ## Use instead

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    total = 0.0
    for batch in torch.ones(3, 2):
        loss = (batch * w).mean() / 3
        loss.backward()
        total += loss.item()
    optimizer.step()
    assert abs(w.item() + 1) < 1e-6
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.Tensor.backward](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html)
    """

    code = "AG433"
    name = "term-counted-twice"
    kinds = frozenset({Pitfall.COUNTED_TWICE})
    message = "this backward goes through terms again whose gradients are there already"
    label = "adds the gradients of the earlier terms once more"
    reason = "the step counts the first terms of the sum more often than the last one"
    advice = "run backward on each new term alone, or once on the whole sum"
    events = (("needed", "the first terms were walked here"),)
