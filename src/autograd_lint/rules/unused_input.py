"""AG305: a gradient is asked for with respect to a tensor that the root does not depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.findings import Finding
from autograd_lint.places import Place
from autograd_lint.rules import wording
from autograd_lint.rules.base import Rule
from autograd_lint.rules.wording import quoted

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class UnusedInput(Rule):
    """The gradient is requested for a tensor that the output does not depend on.

    ## What it does

    Finds `torch.autograd.grad(y, x)` where `y` was not computed from `x`, but from a copy, from
    another tensor, or from the whole of which `x` is a slice taken later.

    ## Why it is bad

    The graph of `y` does not contain `x`. PyTorch raises: "One of the differentiated Tensors
    appears to not have been used in the graph".

    ## Example

    ```python
    import torch

    x = torch.randn(3, requires_grad=True)
    y = (x * 2).sum()
    first = x[0]
    torch.autograd.grad(y, first)
    ```

    ## Use instead

    ```python
    import torch

    x = torch.randn(3, requires_grad=True)
    y = (x * 2).sum()
    first = torch.autograd.grad(y, x)[0][0]
    ```

    ## Fix safety

    There is no automatic fix: `allow_unused=True` gives None, which is rarely what was wanted.

    ## References

    - [torch.autograd.grad](https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad.html)
    """

    code = "AG305"
    name = "unused-input"
    kinds = frozenset({FaultKind.UNUSED_INPUT})

    def primary(self, fault: Fault) -> Place | None:
        return fault.handed or super().primary(fault)

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        tensor = quoted(fault.tensor, "this input")
        if "does not require grad" in fault.detail:
            return self.tell(
                fault,
                place,
                message=f"{tensor} does not require grad: there is no gradient to compute",
                label="passed here" if fault.handed else "requested here",
                role="needed",
                reason="only computations on tensors that require grad are recorded",
                help=f"call `{fault.tensor or 'x'}.requires_grad_()` before computing with it",
                related=(wording.made(fault.built), wording.inside(fault)),
            )
        return self.tell(
            fault,
            place,
            message=f"{tensor} is not in the graph: the output was not computed from it",
            label="passed here" if fault.handed else "requested here",
            role="needed",
            reason=f"{wording.needing(fault)} finds no path in the graph to it",
            help="compute the output from this tensor; if it may be unused, pass "
            "`allow_unused=True` and expect None",
            related=(wording.made(fault.built), wording.inside(fault)),
        )
