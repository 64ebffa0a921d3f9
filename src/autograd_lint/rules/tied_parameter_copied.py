"""AG326: a parameter is wrapped once more, so that two train on one memory."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class TiedParameterCopied(SilentRule):
    """A parameter shares its memory with a second one, and each gets a gradient of its own.

    ## What it does

    Finds `nn.Parameter(other.weight)` and `mine.data = other.data` where both parameters get
    gradients.

    ## Why it is bad

    What comes of it is a separate parameter with the same memory: each gets only a part of the
    gradient, and optimizers keep two states and update the values twice. To tie weights, assign the
    parameter itself.

    ## Example

    ```python
    import torch
    from torch import nn

    embed, out = nn.Embedding(3, 2), nn.Linear(2, 3, bias=False)
    out.weight = nn.Parameter(embed.weight)
    out(embed(torch.tensor([0]))).sum().backward()
    assert out.weight is embed.weight
    ```

    ## Use instead

    ```python
    import torch
    from torch import nn

    embed, out = nn.Embedding(3, 2), nn.Linear(2, 3, bias=False)
    out.weight = embed.weight
    out(embed(torch.tensor([0]))).sum().backward()
    assert out.weight is embed.weight
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.nn.Parameter](https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html)
    """

    code = "AG326"
    name = "tied-parameter-copied"
    kinds = frozenset({Pitfall.TIED_APART})
    message = "this parameter shares its memory with {tensor}, but gets a gradient of its own"
    label = "a second parameter that shares the memory of {tensor}"
    reason = "only the same parameter gets the sum of both gradients; its memory is not enough"
    advice = "assign the parameter itself, or a copy (`.clone()`) for an independent parameter"
