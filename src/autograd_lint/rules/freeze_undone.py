"""AG328: what was frozen is switched on again before anything was computed."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class FreezeUndone(SilentRule):
    """Frozen parameters are unfrozen again before anything is computed.

    ## What it does

    Finds loops that set `requires_grad = True` on parameters, including all those that were frozen
    just before, with no forward in between.

    ## Why it is bad

    Freezing has no effect: every parameter is trained.

    ## Example

    ```python
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    for p in model[0].parameters():
        p.requires_grad = False
    for p in model.parameters():
        p.requires_grad = True
    model(torch.ones(1, 2)).sum().backward()
    assert model[0].weight.grad is None
    ```

    ## Use instead

    ```python
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    for p in model.parameters():
        p.requires_grad = True
    for p in model[0].parameters():
        p.requires_grad = False
    model(torch.ones(1, 2)).sum().backward()
    assert model[0].weight.grad is None
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Locally disabling gradient computation](https://docs.pytorch.org/docs/stable/notes/autograd.html#setting-requires-grad)
    """

    code = "AG328"
    name = "freeze-undone"
    kinds = frozenset({Pitfall.FREEZE_UNDONE})
    message = "{tensor} and everything else that was frozen before is trainable again from here on"
    label = "unfreezes it"
    reason = "nothing is computed in between, so freezing had no effect"
    advice = "freeze after this call, or exclude here what should stay frozen"
    events = (("modified", "frozen here"),)
