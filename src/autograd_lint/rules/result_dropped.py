"""AG409: the result of a method that changes nothing is dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import NOT_RETURNED, PICKED, Pitfall
from autograd_lint.findings import Fix
from autograd_lint.places import Place
from autograd_lint.rules.mending import unsafe
from autograd_lint.rules.silent import SilentRule

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class ResultDropped(SilentRule):
    """The result of an out-of-place method is not used.

    ## What it does

    Finds statements like `grad.clamp(-1, 1)` or `x.detach()` whose result is not used; the method
    with a trailing underscore would modify the tensor itself. Also finds hooks that compute a new
    gradient or output and do not return it (`gradient = gradient * mask` at their end).

    ## Why it is bad

    Methods without a trailing underscore return a new tensor and leave the old one unchanged.

    ## Example

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    (w * 100).sum().backward()
    w.grad.clamp(-1, 1)
    assert w.grad.item() == 1
    ```

    ## Use instead

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    (w * 100).sum().backward()
    w.grad.clamp_(-1, 1)
    assert w.grad.item() == 1
    ```

    ## Fix safety

    The fix to assign the result is unsafe: what comes later sees the change.

    ## References

    - [torch.Tensor](https://docs.pytorch.org/docs/stable/tensors.html)
    """

    code = "AG409"
    name = "result-dropped"
    kinds = frozenset({Pitfall.RESULT_DROPPED})
    message = "the result of {operator} is dropped: the tensor does not change"
    label = "a new tensor that is not used"
    reason = "methods without a trailing underscore return a new tensor"
    advice = "assign the result, or use the method with an underscore"

    def says(self, fault: Fault) -> str:
        if fault.detail == NOT_RETURNED:
            return "this hook computes a new {tensor} and does not return it: nothing changes"
        if fault.detail == PICKED:
            return "{operator} writes to a copy of these elements, which nobody has"
        return super().says(fault)

    def labels(self, fault: Fault) -> str:
        if fault.detail == NOT_RETURNED:
            return "a new value that is lost when the hook ends"
        if fault.detail == PICKED:
            return "a copy"
        return super().labels(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == NOT_RETURNED:
            return "what a hook is to put in the place of its argument has to be returned"
        if fault.detail == PICKED:
            return "an index that is a tensor, or a list, gives a copy and no view"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == NOT_RETURNED:
            return "return the new value"
        if fault.detail == PICKED:
            return "assign to the elements (`x[rows] = 0`), or use `index_fill_`"
        return super().advises(fault)

    def mend(self, fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
        if fault.detail in (NOT_RETURNED, PICKED):
            return None
        return unsafe("Keep the result", chunk.mends.keep_result(place))
