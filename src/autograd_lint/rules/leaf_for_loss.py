"""AG320: a fresh leaf takes the place of a loss."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class LeafForLoss(SilentRule):
    """A new leaf tensor is used as the loss.

    ## What it does

    Finds a backward that starts at a tensor created from plain numbers with `requires_grad=True`,
    typically a default that is returned when there is nothing to compute a loss from; also a
    function that returns such a default on one way, and what it computes on another.

    ## Why it is bad

    Backward only fills the gradient of that tensor. The `.grad` of the parameters stays `None`:
    with `DistributedDataParallel` the other processes wait for them, and optimizers skip the step.

    ## Example

    ```python
    import torch

    layer = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)


    def loss_of(rows):
        if len(rows) == 0:
            return torch.tensor(0.0, requires_grad=True)
        return layer(rows).mean()


    loss_of(torch.zeros(0, 2)).backward()
    optimizer.step()
    assert layer.weight.grad is not None
    ```

    ## Use instead

    ```python
    import torch

    layer = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)


    def loss_of(rows):
        if len(rows) == 0:
            return layer(rows).sum()
        return layer(rows).mean()


    loss_of(torch.zeros(0, 2)).backward()
    optimizer.step()
    assert layer.weight.grad is not None
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [DistributedDataParallel](https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html)
    """

    code = "AG320"
    name = "leaf-for-loss"
    kinds = frozenset({Pitfall.LEAF_FOR_LOSS})
    message = "{tensor} is a new leaf: backward from it reaches no parameter"
    label = "created from plain numbers"
    reason = "a leaf has no graph that leads to parameters"
    advice = (
        "compute it from the output (`output.sum() * 0`), so that every parameter gets a gradient "
        "of zero"
    )
    events = (("needed", "backward begins at it here"),)
    unnamed = "what is returned"
