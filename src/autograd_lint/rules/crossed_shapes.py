"""AG346: each prediction is compared with each target, as their shapes are broadcast."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class CrossedShapes(SilentRule):
    """A loss compares each prediction with each target.

    ## What it does

    Finds losses and products of a tensor of the shape `(n, 1)`, as a layer with one output gives
    it, and one of the shape `(n,)`.

    ## Why it is bad

    The two are broadcast to `(n, n)`. Each prediction is drawn to the mean of all targets. At most
    a warning is shown.

    ## Example

    ```python
    import torch

    model = torch.nn.Linear(3, 1)
    x, target = torch.ones(4, 3), torch.arange(4.0)
    loss = (model(x) - target) ** 2
    loss.mean().backward()
    assert loss.numel() == 4
    ```

    ## Use instead

    ```python
    import torch

    model = torch.nn.Linear(3, 1)
    x, target = torch.ones(4, 3), torch.arange(4.0)
    loss = (model(x).squeeze(-1) - target) ** 2
    loss.mean().backward()
    assert loss.numel() == 4
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Broadcasting semantics](https://docs.pytorch.org/docs/stable/notes/broadcasting.html)
    """

    code = "AG346"
    name = "crossed-shapes"
    kinds = frozenset({Pitfall.CROSSED_SHAPES})
    message = "shapes `(n, 1)` and `(n,)`: each element is combined with each of the other"
    label = "is broadcast to `(n, n)`"
    reason = "dimensions are matched from the last one on, and one element is repeated"
    advice = "give both one shape: `prediction.squeeze(-1)` or `target.unsqueeze(-1)`"
    events = (("needed", "backward goes through it here"),)
