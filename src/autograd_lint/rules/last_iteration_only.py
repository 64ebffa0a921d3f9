"""AG413: of the losses that a loop computes, backward only has the last one."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class LastIterationOnly(SilentRule):
    """A loop computes a loss in each iteration, and only the last one is used.

    ## What it does

    Finds `backward()` behind a loop that computes the loss anew in each iteration without adding it
    up: mostly it is indented one level too little.

    ## Why it is bad

    Only the last batch trains the model. Nothing is raised, and the mean loss that is logged is
    that of all batches.

    ## Example

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    for x in torch.ones(3):
        loss = (w * x).sum()
    loss.backward()
    assert w.grad == 3
    ```

    ## Use instead

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    for x in torch.ones(3):
        loss = (w * x).sum()
        loss.backward()
    assert w.grad == 3
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.optim: taking an optimization step](https://docs.pytorch.org/docs/stable/optim.html#taking-an-optimization-step)
    """

    code = "AG413"
    name = "last-iteration-only"
    kinds = frozenset({Pitfall.LAST_ITERATION_ONLY})
    message = "only the last iteration of the loop trains: its other losses are lost"
    label = "differentiates the last loss"
    reason = "each iteration replaces {tensor}, and nothing uses the earlier ones"
    advice = "indent `backward()` into the loop, or add the losses up and divide by their number"
    events = (("built", "computed in each iteration"),)
    unnamed = "the loss"
