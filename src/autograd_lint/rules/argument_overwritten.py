"""AG110: a function changes a tensor that its caller goes on using."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class ArgumentOverwritten(SilentRule):
    """A function changes a tensor that its caller goes on using.

    ## What it does

    Finds arguments that are changed by `+=` on the parameter, or by a layer with
    `inplace=True` at the head of a block, where the function returns something else and the
    caller uses its tensor again.

    ## Why it is bad

    `x += 1` looks like a new `x`, and a block like something that computes from its input;
    but the tensor of the caller changes. Skip connections then add what the first layer left
    of their input.

    ## Example

    ```python
    import torch

    block = torch.nn.Sequential(torch.nn.ReLU(inplace=True), torch.nn.Linear(2, 2))
    x = torch.tensor([[-1.0, 2.0]])
    out = block(x) + x
    assert x.min() == -1
    ```

    ## Use instead

    ```python
    import torch

    block = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(2, 2))
    x = torch.tensor([[-1.0, 2.0]])
    out = block(x) + x
    assert x.min() == -1
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.nn.ReLU](https://docs.pytorch.org/docs/stable/generated/torch.nn.ReLU.html)
    """

    code = "AG110"
    name = "argument-overwritten"
    kinds = frozenset({Pitfall.ARGUMENT_OVERWRITTEN})
    message = "{operator} modifies the caller's tensor, which the caller uses again"
    label = "modifies its argument"
    reason = "the function returns another tensor, so the caller does not expect its own to change"
    advice = "compute out of place: `x = x + 1`, `inplace=False`"
    events = (("needed", "used here, changed"),)
