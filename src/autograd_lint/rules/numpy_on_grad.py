"""AG304: `numpy()` is called on a tensor that requires grad."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.findings import Edit, Finding
from autograd_lint.places import Place
from autograd_lint.rules import wording
from autograd_lint.rules.base import Rule
from autograd_lint.rules.mending import unsafe
from autograd_lint.rules.wording import quoted

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class NumpyOnGrad(Rule):
    """`numpy()` is called on a tensor that requires grad.

    ## What it does

    Finds `y.numpy()`, `np.asarray(y)` and NumPy functions on a tensor that requires grad, and what
    makes an array of it: `plt.plot(losses)`, `pd.DataFrame(y)`, `roc_auc_score(labels, y)`.

    ## Why it is bad

    NumPy would read and write the memory of the tensor without autograd noticing. PyTorch raises:
    "Can't call numpy() on Tensor that requires grad".

    ## Example

    ```python
    import torch

    w = torch.randn(3, requires_grad=True)
    values = w.numpy()
    ```

    ## Use instead

    ```python
    import torch

    w = torch.randn(3, requires_grad=True)
    values = w.detach().numpy()
    ```

    ## Fix safety

    The fix to `.detach().numpy()` is unsafe: no gradient flows through what NumPy computes.

    ## References

    - [torch.Tensor.numpy](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.numpy.html)
    """

    code = "AG304"
    name = "numpy-on-grad"
    kinds = frozenset({FaultKind.NUMPY_ON_GRAD})

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        built = fault.built
        name = chunk.owner_at(place, "numpy") or fault.tensor or "y"
        return self.tell(
            fault,
            place,
            message=f"{quoted(fault.tensor)} requires grad and cannot be converted to NumPy",
            label="requires grad",
            reason="autograd cannot record what NumPy computes",
            help=f"use `{name}.detach().numpy()` if no gradient should flow through it, else use"
            " PyTorch's own functions",
            fix=unsafe("Call `detach()` first", _detached(fault, place, chunk)),
            related=(wording.made(built),),
        )


def _detached(fault: Fault, place: Place, chunk: Chunk) -> tuple[Edit, ...]:
    """`detach()` before `numpy()`, or on the argument of a function of NumPy."""
    by_method = chunk.mends.call_first(place, "numpy", "detach")
    return by_method or chunk.mends.method_on_argument(place, fault.tensor or "", "detach")
