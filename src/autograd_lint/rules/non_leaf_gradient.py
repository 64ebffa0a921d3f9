"""AG315: the `.grad` of a tensor is read that backward never fills."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import NEVER_ASKED, Pitfall
from autograd_lint.findings import Finding, Fix
from autograd_lint.places import Place
from autograd_lint.rules.mending import unsafe
from autograd_lint.rules.silent import SilentRule

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class NonLeafGradient(SilentRule):
    """The `.grad` of a tensor that is not a leaf is read.

    ## What it does

    Finds reads of `.grad` after backward on results of operators that do not retain their gradient,
    and functions that hand their argument `requires_grad` on to a tensor of their own and return
    parts of that. Also finds programs that compute with the `.grad` of a tensor which was made of
    numbers (`torch.from_numpy(image)`) and never told to require grad, and that read the `.grad` of
    one of which only a view, or what `detach()` gave, was told so.

    ## Why it is bad

    Only leaves that require grad get a `.grad`: here it is always `None`. PyTorch only warns of
    those that are no leaves.

    ## Example

    ```python
    import torch

    w = torch.ones(2, requires_grad=True) * 0.1
    w.sum().backward()
    assert w.grad is not None
    ```

    ## Use instead

    ```python
    import torch

    w = (torch.ones(2) * 0.1).requires_grad_()
    w.sum().backward()
    assert w.grad is not None
    ```

    ## Fix safety

    The fix to call `retain_grad()` where the tensor is created is unsafe: code that checks for a
    gradient then finds one.

    ## References

    - [torch.Tensor.grad](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.grad.html)
    - [torch.Tensor.retain_grad](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.retain_grad.html)
    """

    code = "AG315"
    name = "non-leaf-gradient"
    kinds = frozenset({Pitfall.NON_LEAF_GRAD})
    message = "{tensor} is not a leaf, so its `.grad` stays `None`"
    label = "never filled"
    reason = "only leaf tensors keep `.grad`, and {operator} made {tensor}"
    advice = (
        "call `requires_grad_()` last, on the finished tensor, or `retain_grad()` before backward"
    )
    events = (("built", "made by {operator} here"),)

    def says(self, fault: Fault) -> str:
        asked = "{tensor} does not require grad, so its `.grad` stays `None`"
        return asked if fault.detail == NEVER_ASKED else self.message

    def explains(self, fault: Fault) -> str:
        asked = "only what requires grad gets a `.grad`, and {operator} made {tensor} without"
        return asked if fault.detail == NEVER_ASKED else self.reason

    def advises(self, fault: Fault) -> str:
        asked = "call `requires_grad_()` on it before anything is computed from it"
        return asked if fault.detail == NEVER_ASKED else self.advice

    def mend(self, fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
        built = fault.built.place if fault.built else None
        if built is None or not fault.tensor or not chunk.lines.share_function(built, place):
            return None
        if fault.detail == NEVER_ASKED:
            return None
        kept = chunk.around(built).assigned_at(built)
        if kept is None or kept.name != fault.tensor or kept.from_itself:
            return None
        line = f"{kept.name}.retain_grad()"
        return unsafe(f"Call `{line}`", chunk.lines.after(built, line))

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        found = super().judge(fault, place, chunk)
        built = fault.built.place if fault.built else None
        kept = chunk.around(built).assigned_at(built) if built is not None else None
        if found is None or kept is None or not kept.from_itself:
            return found
        update = f"update it in place under `with torch.no_grad():`, as in `{kept.name} -= ...`"
        return replace(found, help=f"{update}: `{kept.name} = ...` makes a new tensor")
