"""AG402: gradients are cleared between backward and `step()`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import (
    BETWEEN_LOSSES,
    READ_CLEARED,
    Pitfall,
)
from autograd_lint.findings import Fix, Related
from autograd_lint.places import Place
from autograd_lint.rules import wording
from autograd_lint.rules.mending import unsafe
from autograd_lint.rules.silent import SilentRule

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class ZeroGradBeforeStep(SilentRule):
    """Gradients are cleared between backward and `step()`.

    ## What it does

    Finds `zero_grad()` after backward and before the `step()` that should use the gradients, where
    no `step()` of the optimizer ever finds any; and `zero_grad()` in every iteration of a loop that
    steps only every so many iterations. `trace` also finds gradients that the program reads after
    they were cleared, each time.

    ## Why it is bad

    The step finds no gradients and does nothing: the model is never trained. Where a step is
    meant to use the gradients of several iterations, it uses those of the last one alone.

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
    events = (
        ("needed", "computes gradients that are cleared in the next iteration"),
        ("modified", "uses only what is computed after that"),
    )

    def says(self, fault: Fault) -> str:
        if fault.detail == READ_CLEARED:
            return "the gradients are cleared before they are read: those are always zero"
        if fault.detail == BETWEEN_LOSSES:
            return "the gradients of one loss are cleared, and no `step()` ever uses them"
        if fault.needed is not None:
            return "the gradients of most iterations are cleared before `step()` uses them"
        if fault.modified is None:
            return "the gradients are cleared, and no `step()` ever uses them"
        return super().says(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == READ_CLEARED:
            return "what has been cleared is zero until the next backward"
        if fault.needed is not None:
            return "`step()` uses only the gradients that `.grad` holds when it is called"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == READ_CLEARED:
            return "read them before they are cleared"
        if fault.detail == BETWEEN_LOSSES:
            return "remove this, so that the gradients of both losses add up, or step before it"
        if fault.needed is not None:
            return (
                "call `zero_grad()` right after `step()`, so that gradients accumulate until then"
            )
        if fault.modified is None:
            return "call `step()` here, and `zero_grad()` before backward"
        return super().advises(fault)

    def mend(self, fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
        stepped = fault.modified.place if fault.modified else None
        edits = chunk.lines.moved_after(place, stepped) if stepped else ()
        return unsafe("Clear the gradients after the step", edits)

    def _related(self, fault: Fault, words: dict[str, str]) -> list[Related | None]:
        if fault.detail != BETWEEN_LOSSES:
            return super()._related(fault, words)
        step = fault.modified.place if fault.modified is not None else None
        used = Related("modified", "uses only what is computed after that", step) if step else None
        return [wording.needed(fault.needed, "computes gradients that nothing uses"), used]
