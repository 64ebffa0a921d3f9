"""AG413: of the losses that a loop computes, backward only has the last one."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import RESTARTED, Pitfall
from autograd_lint.rules.silent import SilentRule


class LastIterationOnly(SilentRule):
    """A loop computes a loss in each iteration, and only the last one is used.

    ## What it does

    Finds `backward()` behind a loop that computes the loss anew in each iteration without adding it
    up: mostly it is indented one level too little. Also finds inner loops whose steps all begin at
    the initial weights (`fast = [w - rate * g for w, g in zip(weights, grads)]`), so that the last
    one alone counts.

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
    label = "what the other iterations have computed is lost"
    reason = "each iteration replaces {tensor}, and nothing uses the earlier ones"
    advice = "indent `backward()` into the loop, or add the losses up and divide by their number"
    events = (("built", "computed in each iteration"),)
    unnamed = "the loss"

    def says(self, fault: Fault) -> str:
        if fault.detail == RESTARTED:
            return "each step begins at the initial weights again: only the last step counts"
        return super().says(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == RESTARTED:
            return "the gradient is one of the weights of the step before, which are dropped"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == RESTARTED:
            return "subtract the gradient from the weights that it was computed for"
        return super().advises(fault)
