"""AG404: gradients are clipped when there are none, or when they were used already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import (
    PARTS,
    Pitfall,
)
from autograd_lint.findings import Fix
from autograd_lint.places import Place
from autograd_lint.rules.mending import unsafe
from autograd_lint.rules.silent import SilentRule

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk

CLIPPING = "clip_grad_norm_"


class ClipInVain(SilentRule):
    """Gradients are clipped too early, too late, or for parameters that nothing moves.

    ## What it does

    Finds calls of `clip_grad_norm_` and `clip_grad_value_` after the `step()` that used the
    gradients, before the backward that computes them, or for parameters that nothing moves while an
    optimizer steps others; also such that are given gradients in the place of parameters. Gradients
    that are scaled after the step and then cleared are told, too. `trace` also finds sums of
    gradients over several micro batches that are clipped after each of them.

    ## Why it is bad

    The step uses unclipped gradients: clipping does not keep the training stable.

    ## Example

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    for _ in range(3):
        optimizer.zero_grad()
        (100 * w).sum().backward()
        optimizer.step()
        torch.nn.utils.clip_grad_norm_([w], 1.0)
    assert w.item() > -4
    ```

    ## Use instead

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    for _ in range(3):
        optimizer.zero_grad()
        (100 * w).sum().backward()
        torch.nn.utils.clip_grad_norm_([w], 1.0)
        optimizer.step()
    assert w.item() > -4
    ```

    ## Fix safety

    The fix to clip between backward and the step is unsafe: clipping then has an effect.

    ## References

    - [torch.nn.utils.clip_grad_norm_](https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html)
    """

    code = "AG404"
    name = "clip-in-vain"
    kinds = frozenset({Pitfall.CLIP_IN_VAIN})
    message = "this clipping has no effect on any step"
    label = "no step uses these gradients"
    reason = "{operator} only changes the gradients that are in `.grad` at that moment"
    advice = "clip between `backward()` and `step()`"
    events = (
        ("modified", "the step has already used the gradients here"),
        ("needed", "the gradients are computed here"),
    )

    def says(self, fault: Fault) -> str:
        if fault.detail == PARTS:
            return "this clips a sum of gradients before it is complete"
        if fault.operator != CLIPPING:
            return "changing the gradients here has no effect on any step"
        return super().says(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == PARTS:
            return "clip once, right before `step()`"
        if fault.operator != CLIPPING:
            return "change them between `backward()` and `step()`"
        if fault.modified is None and fault.needed is None:
            return "clip the gradients of the parameters that the optimizer has"
        return super().advises(fault)

    def labels(self, fault: Fault) -> str:
        if fault.detail == PARTS:
            return "clips each part"
        return super().labels(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == PARTS:
            return "what is clipped here is added to by the next backward, and clipped again"
        return super().explains(fault)

    def mend(self, fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
        if fault.operator != CLIPPING:
            return None  # a loop over the parameters is to be moved as a whole
        stepped = fault.modified.place if fault.modified else None
        needed = fault.needed.place if fault.needed else None
        if stepped is not None:
            return unsafe("Clip before the step", chunk.lines.moved_before(place, stepped))
        edits = chunk.lines.moved_after(place, needed) if needed else ()
        return unsafe("Clip after backward", edits)
