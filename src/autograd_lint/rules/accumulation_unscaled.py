"""AG411: gradients of several batches are added up without being divided by their number."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class AccumulationUnscaled(SilentRule):
    """Gradients of several batches are added up without being divided by their number.

    ## What it does

    Finds steps that use the gradients of several backwards from one line, whose loss is
    neither divided nor multiplied by anything.

    ## Why it is bad

    The step is as many times larger as there are batches, and changes with the number of
    accumulated batches; clipping and weight decay then mean something else. Summing may be
    what is wanted, so this rule is off by default.

    ## Example

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    for batch in torch.ones(2, 3):
        loss = (batch * w).mean()
        loss.backward()
    optimizer.step()
    assert w.item() == -1
    ```

    ## Use instead

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    for batch in torch.ones(2, 3):
        loss = (batch * w).mean() / 2
        loss.backward()
    optimizer.step()
    assert w.item() == -1
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Gradient accumulation](https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-accumulation)
    """

    code = "AG411"
    name = "accumulation-unscaled"
    kinds = frozenset({Pitfall.ACCUMULATION_UNSCALED})
    on_by_default = False
    message = "the gradients of several batches are summed, not averaged"
    label = "adds a whole gradient in each iteration"
    reason = "the step is larger by the number of batches"
    advice = "divide the loss by the number of batches that are accumulated"
