"""AG402: gradients are cleared between backward and `step()`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.findings import Fix
from autograd_lint.places import Place
from autograd_lint.rules.mending import unsafe
from autograd_lint.rules.silent import SilentRule

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class ZeroGradBeforeStep(SilentRule):
    """Gradients are cleared between backward and `step()`.

    ## What it does

    Finds `zero_grad()` after backward and before the `step()` that should use the gradients,
    where no `step()` of the optimizer ever finds any.

    ## Why it is bad

    The step finds no gradients and does nothing: the model is never trained.

    ## Example

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    for _ in range(3):
        w.sum().backward()
        optimizer.zero_grad()
        optimizer.step()
    assert w.item() == -3
    ```

    ## Use instead

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    for _ in range(3):
        w.sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    assert w.item() == -3
    ```

    ## Fix safety

    The fix to clear the gradients after the step is unsafe: the steps then have an effect.

    ## References

    - [torch.optim: taking an optimization step](https://docs.pytorch.org/docs/stable/optim.html#taking-an-optimization-step)
    """

    code = "AG402"
    name = "zero-grad-before-step"
    kinds = frozenset({Pitfall.ZERO_GRAD_BEFORE_STEP})
    message = "the gradients are cleared before `step()` uses them"
    label = "cleared here"
    reason = "`step()` does nothing to parameters without gradients"
    advice = "call `zero_grad()` before backward or after `step()`"
    events = (("modified", "finds no gradients here"),)

    def says(self, fault: Fault) -> str:
        if fault.modified is None:
            return "the gradients are cleared, and no `step()` ever uses them"
        return super().says(fault)

    def advises(self, fault: Fault) -> str:
        if fault.modified is None:
            return "call `step()` here, and `zero_grad()` before backward"
        return super().advises(fault)

    def mend(self, fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
        stepped = fault.modified.place if fault.modified else None
        edits = chunk.lines.moved_after(place, stepped) if stepped else ()
        return unsafe("Clear the gradients after the step", edits)
