"""AG348: a checkpoint moves the running statistics of batch normalization twice."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class StatisticsMoveTwice(SilentRule):
    """A checkpoint moves the running statistics of batch normalization twice.

    ## What it does

    Finds calls of `torch.utils.checkpoint.checkpoint` whose function runs batch normalization in
    training mode, where a backward goes through the result. A layer with `momentum=None` is left
    alone: a mean over all batches does not change when each of them counts twice.

    ## Why it is bad

    Backward runs the function again, and each run moves the running mean and the running variance
    towards the batch. They forget earlier batches about twice as fast as `momentum` says, which
    shows in evaluation mode alone: loss and gradients are the same. No error is raised.

    ## Example

    ```python
    import copy

    import torch
    from torch.utils.checkpoint import checkpoint

    norm = torch.nn.BatchNorm1d(2)
    plain = copy.deepcopy(norm)
    x = torch.randn(8, 2, requires_grad=True)
    checkpoint(norm, x, use_reentrant=False).sum().backward()
    plain(x).sum().backward()
    assert torch.allclose(norm.running_mean, plain.running_mean)
    ```

    ## Use instead

    ```python
    import copy

    import torch
    from torch.utils.checkpoint import checkpoint

    norm = torch.nn.BatchNorm1d(2)
    plain = copy.deepcopy(norm)
    x = torch.randn(8, 2, requires_grad=True)
    norm.momentum = 1 - (1 - norm.momentum) ** 0.5
    checkpoint(norm, x, use_reentrant=False).sum().backward()
    plain(x).sum().backward()
    assert torch.allclose(norm.running_mean, plain.running_mean)
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.utils.checkpoint](https://docs.pytorch.org/docs/stable/checkpoint.html)
    - [torch.nn.BatchNorm2d](https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html)
    """

    code = "AG348"
    name = "statistics-move-twice"
    kinds = frozenset({Pitfall.UPDATED_TWICE})
    message = "backward runs this checkpoint again: the running statistics of {operator} move twice"
    label = "run in the forward, and again in backward"
    reason = "each run in training mode moves the running statistics towards the same batch"
    advice = "leave the layer out of the checkpoint, or use `momentum = 1 - (1 - momentum) ** 0.5`"
    events = (("built", "made here"), ("needed", "run again by this backward"))
