"""AG343: the state of a recurrence is detached at each step."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class RecurrenceCut(SilentRule):
    """The state of a recurrence is detached at each step.

    ## What it does

    Finds loops that step a recurrent cell (`GRUCell`, `LSTMCell`, `RNNCell`, a `GRU`, `LSTM` or
    `RNN` that is called step by step, a sum of two linear layers, or a linear layer of the state
    put together with an input) and give it its own last state detached, with one backward after
    the loop. A cut that a condition makes now and then, and loops that run backward themselves,
    are not reported.

    ## Why it is bad

    No gradient crosses from one step to another: the cell is only trained on single steps, and
    learns nothing about what it has to remember. To limit how far gradients go back, detach the
    state every few steps, and run backward there.

    ## Example

    ```python
    import torch

    cell = torch.nn.GRUCell(2, 2)
    x = torch.randn(4, 3, 2, requires_grad=True)
    h = torch.zeros(3, 2)
    for step in x:
        h = cell(step, h.detach())
    h.sum().backward()
    assert x.grad[0].abs().sum() > 0
    ```

    ## Use instead

    ```python
    import torch

    cell = torch.nn.GRUCell(2, 2)
    x = torch.randn(4, 3, 2, requires_grad=True)
    h = torch.zeros(3, 2)
    for step in x:
        h = cell(step, h)
    h.sum().backward()
    assert x.grad[0].abs().sum() > 0
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.nn.GRUCell](https://docs.pytorch.org/docs/stable/generated/torch.nn.GRUCell.html)
    """

    code = "AG343"
    name = "recurrence-cut"
    kinds = frozenset({Pitfall.RECURRENCE_CUT})
    message = "the state {tensor} is detached at each step: no gradient crosses from step to step"
    label = "cut in every iteration"
    reason = "backward ends at a detached state, so only the last step of each state is trained"
    advice = "detach the state once, before the loop, or only every few steps"
    events = (("needed", "the state is used here"),)
    unnamed = "of the recurrence"
