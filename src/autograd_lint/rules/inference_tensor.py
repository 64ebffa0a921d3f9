"""AG307: a tensor made under `inference_mode()` is used where gradients are recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.findings import Finding, Fix, Related
from autograd_lint.places import Place
from autograd_lint.rules import wording
from autograd_lint.rules.base import Rule
from autograd_lint.rules.mending import unsafe
from autograd_lint.rules.wording import quoted, spoken

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class InferenceTensor(Rule):
    """A tensor created under `inference_mode()` is used where gradients are recorded.

    ## What it does

    Finds tensors that were created under `torch.inference_mode()` and are later saved for backward,
    modified in place or made to require grad outside of it.

    ## Why it is bad

    Inference tensors have no version counter and can never take part in autograd. PyTorch raises:
    "Inference tensors cannot be saved for backward", or "Inplace update to inference tensor outside
    InferenceMode is not allowed".

    ## Example

    ```python
    import torch

    w = torch.randn(3, requires_grad=True)
    with torch.inference_mode():
        features = torch.ones(3) * 2
    loss = (w * features).sum()
    ```

    ## Use instead

    ```python
    import torch

    w = torch.randn(3, requires_grad=True)
    with torch.no_grad():
        features = torch.ones(3) * 2
    loss = (w * features).sum()
    ```

    ## Fix safety

    The fix to `no_grad()` is unsafe: it is slightly slower.

    ## References

    - [Autograd mechanics: inference mode](https://docs.pytorch.org/docs/stable/notes/autograd.html#inference-mode)
    """

    code = "AG307"
    name = "inference-tensor"
    kinds = frozenset({FaultKind.INFERENCE_TENSOR})

    def primary(self, fault: Fault) -> Place | None:
        return _switch(fault) or super().primary(fault)

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        tensor = quoted(fault.tensor, "an inference tensor")
        by = f" by {spoken(fault.operator)}" if fault.operator else ""
        at_switch = _switch(fault) is not None
        use = Related("needed", "is used by autograd here", fault.place) if fault.place else None
        return self.tell(
            fault,
            place,
            message=f"{tensor} was created under `inference_mode()` and is used{by} outside it",
            label="tensors created in this mode cannot be used by autograd"
            if at_switch
            else "is used by autograd here",
            role="built" if at_switch else "",
            reason="inference tensors have no version counter and can never be used by autograd",
            help="create it under `no_grad()` instead, or use a `.clone()` of it outside",
            related=(
                use
                if at_switch
                else wording.built(fault.built, "created under `inference_mode()` here"),
            ),
            fix=_under_no_grad(place, chunk) if at_switch else None,
        )


def _under_no_grad(place: Place, chunk: Chunk) -> Fix | None:
    edits = chunk.mends.rename(place, "inference_mode", "no_grad")
    return unsafe("Compute it under `no_grad()`", edits)


def _switch(fault: Fault) -> Place | None:
    """The `inference_mode()` that the tensor was made under, where that is known."""
    built = fault.built
    known = built is not None and built.operator.endswith("inference_mode")
    return built.place if known and built is not None else None
