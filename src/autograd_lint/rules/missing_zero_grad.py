"""AG401: gradients that a step has used are added to, and used again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import BY_CALLEE, SKIPPED, Pitfall
from autograd_lint.findings import Finding, Fix, Related
from autograd_lint.places import Place
from autograd_lint.rules.mending import unsafe
from autograd_lint.rules.silent import SilentRule

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class MissingZeroGrad(SilentRule):
    """Gradients are not cleared between steps, so they accumulate.

    ## What it does

    Finds training loops in which backward adds to gradients that an earlier `step()` has already
    used, and the next `step()` uses the sum. Also loops that pass over a batch whose loss is not
    finite once backward has run, and clear nothing for it: the NaN stays in `.grad`. `trace` also
    reports gradients that are infinite or NaN, left by a batch whose step was left out, in the step
    of the next batch.

    ## Why it is bad

    Every step then uses the sum of all gradients so far. Gradient accumulation over several batches
    is only meant up to the next step.

    ## Example

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    for _ in range(3):
        w.sum().backward()
        optimizer.step()
    assert w.item() == -3
    ```

    ## Use instead

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    for _ in range(3):
        optimizer.zero_grad()
        w.sum().backward()
        optimizer.step()
    assert w.item() == -3
    ```

    ## Fix safety

    The fix to call `zero_grad()` is unsafe: accumulating gradients over several steps may be
    intended.

    ## References

    - [torch.optim: taking an optimization step](https://docs.pytorch.org/docs/stable/optim.html#taking-an-optimization-step)
    """

    code = "AG401"
    name = "missing-zero-grad"
    kinds = frozenset({Pitfall.MISSING_ZERO_GRAD})
    message = "gradients are not cleared between steps: `.grad` of {tensor} accumulates"
    label = "adds to gradients that a step has already used"
    reason = "`backward()` adds to `.grad`, and nothing clears it between two steps"
    advice = "call `zero_grad()` once per step (or set `.grad` to None)"
    events = (("modified", "already used by this step in the previous iteration"),)
    unnamed = "the parameters"

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        stepped = _stepped_by_caller(fault)
        if stepped is None:
            return super().judge(fault, place, chunk)
        found = super().judge(fault, stepped, chunk.around(stepped))
        added = Related("needed", "the gradients are added to here", place)
        return replace(found, related=(added,)) if found is not None else None

    def labels(self, fault: Fault) -> str:
        if _stepped_by_caller(fault) is not None:
            return "uses gradients that it has already used in the previous iteration"
        if fault.detail == SKIPPED:
            return "adds to gradients that are not finite"
        return super().labels(fault)

    def says(self, fault: Fault) -> str:
        if fault.detail == SKIPPED:
            return "this adds to gradients that a batch without a step has left infinite or NaN"
        return super().says(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == SKIPPED:
            return "leaving out a step does not clear `.grad`: what is NaN there stays NaN"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == SKIPPED:
            return "call `zero_grad()` where a step is left out, or check the loss before backward"
        return super().advises(fault)

    def _related(self, fault: Fault, words: dict[str, str]) -> list[Related | None]:
        place = fault.modified.place if fault.modified is not None else None
        if fault.detail == SKIPPED and place is not None:
            return [Related("modified", "this step uses them", place)]
        return super()._related(fault, words)

    def mend(self, fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
        if fault.detail == SKIPPED:
            return None
        stepped = fault.modified.place if fault.modified else None
        optimizer = chunk.around(stepped).owner_at(stepped, "step") if stepped else None
        if stepped is None or optimizer is None:
            return None
        line = f"{optimizer}.zero_grad()"
        if place != stepped and chunk.lines.share_block(place, stepped):
            return unsafe(f"Call `{line}` before backward", chunk.lines.before(place, line))
        return unsafe(f"Call `{line}` after the step", chunk.lines.after(stepped, line))


def _stepped_by_caller(fault: Fault) -> Place | None:
    """The step to tell of: the one beside the call of the function that runs backward."""
    stepped = fault.modified.place if fault.modified is not None else None
    if fault.detail != BY_CALLEE or stepped is None or fault.place is None:
        return None
    return stepped if stepped.filename == fault.place.filename else None
