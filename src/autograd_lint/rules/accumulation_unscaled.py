"""AG411: gradients of several batches are added up without being divided by their number."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class AccumulationUnscaled(SilentRule):
    """The loss of accumulated batches is not divided by their number.

    ## What it does

    Finds optimizer steps that use the gradients of several backward passes from one line, whose
    loss is neither divided nor multiplied by anything. It is likely where the program has a name
    for the number of batches that it accumulates, and divides nothing by it.

    ## Why it is bad

    The gradient grows with the number of accumulated batches, which changes what clipping and
    weight decay do. Summing may be intended.

    ## Example

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer, accumulation = torch.optim.SGD([w], lr=1.0), 2
    for step, batch in enumerate(torch.ones(2, 3), start=1):
        loss = (batch * w).mean()
        loss.backward()
        if step % accumulation == 0:
            optimizer.step()
            optimizer.zero_grad()
    assert w.item() == -1
    ```

    ## Use instead

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer, accumulation = torch.optim.SGD([w], lr=1.0), 2
    for step, batch in enumerate(torch.ones(2, 3), start=1):
        loss = (batch * w).mean() / accumulation
        loss.backward()
        if step % accumulation == 0:
            optimizer.step()
            optimizer.zero_grad()
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
    message = "the gradients of several batches are summed, not averaged"
    label = "adds an unscaled gradient in each iteration"
    reason = "the step is too large by a factor of the number of batches"
    advice = "divide the loss by the number of accumulated batches"
