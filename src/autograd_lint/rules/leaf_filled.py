"""AG330: a leaf is filled with numbers, and the loss hangs on the leaf."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class LeafFilled(SilentRule):
    """A leaf is filled with computed numbers, and the loss is computed from the leaf.

    ## What it does

    Finds tensors with `requires_grad=True` whose elements are set under `no_grad` to numbers taken
    out of a graph, where backward then reaches only that tensor and nothing that the numbers were
    computed from.

    ## Why it is bad

    The gradient stops at the tensor that was filled; the parameters get none.

    ## Example

    ```python
    import torch

    layer = torch.nn.Linear(2, 1)
    scores = torch.zeros(2, requires_grad=True)
    for place, row in enumerate(torch.ones(2, 2)):
        with torch.no_grad():
            scores[place] = layer(row).sum().item()
    scores.max().backward()
    assert layer.weight.grad is not None
    ```

    ## Use instead

    ```python
    import torch

    layer = torch.nn.Linear(2, 1)
    scores = torch.stack([layer(row).sum() for row in torch.ones(2, 2)])
    scores.max().backward()
    assert layer.weight.grad is not None
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.stack](https://docs.pytorch.org/docs/stable/generated/torch.stack.html)
    """

    code = "AG330"
    name = "leaf-filled"
    kinds = frozenset({Pitfall.LEAF_FILLED})
    message = "{tensor} is a leaf: what is written into it here has no gradient"
    label = "filled with a number without a graph"
    reason = "the graph of the loss begins at this tensor"
    advice = "stack the computed tensors, without `item()` and `no_grad()`"
    events = (("built", "the graph ends here"),)
