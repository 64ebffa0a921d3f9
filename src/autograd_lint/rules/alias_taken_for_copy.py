"""AG114: what is taken for a copy and written in place is the tensor itself."""

from __future__ import annotations

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class AliasTakenForCopy(SilentRule):
    """A tensor that is not a copy is written in place: the original changes, too.

    ## What it does

    Finds methods that write in place what `detach()` or `cpu()` returned, on the way to a new
    value: the result gets another name, is returned or computed with. The tensor that was
    converted is an attribute of the object, or an argument of the function.

    ## Why it is bad

    `detach()` copies nothing, and `cpu()` nothing where the tensor is on the CPU already. The
    attribute, or the tensor of the caller, changes with every call; where an operator has saved
    it, backward raises.

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
    advice = "compute out of place, or on `.clone()`"
