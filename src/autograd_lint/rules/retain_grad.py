"""AG308: `retain_grad()` is called on a tensor that does not require grad."""

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


class RetainGrad(Rule):
    """`retain_grad()` is called on a tensor that does not require grad.

    ## What it does

    Finds `y.retain_grad()` where no gradient can reach `y`: it was computed under `no_grad()`,
    detached, or computed from tensors none of which requires grad.

    ## Why it is bad

    There will be no gradient to retain. PyTorch raises: "can't retain_grad on Tensor that has
    requires_grad=False".

    ## Example

    ```python
    import torch

    x = torch.randn(3)
    y = x * 2
    y.retain_grad()
    ```

    ## Use instead

    ```python
    import torch

    x = torch.randn(3, requires_grad=True)
    y = x * 2
    y.retain_grad()
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.Tensor.retain_grad](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.retain_grad.html)
    """

    code = "AG308"
    name = "retain-grad"
    kinds = frozenset({FaultKind.RETAIN_GRAD})

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        built = fault.built
        tensor = chunk.owner_at(place, "retain_grad") or fault.tensor
        return self.tell(
            fault,
            place,
            message=f"{quoted(tensor)} does not require grad: there is no gradient to retain",
            label="no gradient will arrive here",
            reason="no gradient flows through a tensor that does not require grad",
            help="make what it is computed from require grad, outside of `no_grad()`",
            related=(wording.built(built, "the graph ends here"),),
        )
