"""AG114: what is taken for a copy and written in place is the tensor itself."""

from __future__ import annotations

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class AliasTakenForCopy(SilentRule):
    """The result of `detach()` or `cpu()` is modified in place, and so is the original.

    ## What it does

    Finds in-place writes to what `detach()` or `cpu()` returned, where the result is assigned to
    another name, returned or used in a computation, and the original is an attribute of the object
    or an argument of the function, or is then computed with together with the result.

    ## Why it is bad

    `detach()` never copies, and `cpu()` does not copy a tensor that is already on the CPU. The
    attribute, or the caller's tensor, changes with every call; if an operator has saved it,
    backward raises.

    ## Example

    ```python
    import torch


    class Matching:
        def __init__(self, logits):
            self.logits = logits

        def cost(self):
            cost = self.logits.cpu().neg_()
            return cost.sum()


    matching = Matching(torch.ones(2))
    matching.cost()
    assert matching.cost() == -2
    ```

    ## Use instead

    ```python
    import torch


    class Matching:
        def __init__(self, logits):
            self.logits = logits

        def cost(self):
            cost = -self.logits.cpu()
            return cost.sum()


    matching = Matching(torch.ones(2))
    matching.cost()
    assert matching.cost() == -2
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.Tensor.detach](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html)
    - [torch.Tensor.cpu](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.cpu.html)
    """

    code = "AG114"
    name = "alias-taken-for-copy"
    kinds = frozenset({Pitfall.ALIAS_FOR_COPY})
    message = "the in-place write also changes {tensor}: {operator} does not copy it"
    label = "changes {tensor}"
    reason = "the result shares its memory with {tensor}"
    advice = "use the out-of-place version, or write to a `.clone()`"
    events = (("built", "taken here"), ("needed", "both are used here, and are equal"))
