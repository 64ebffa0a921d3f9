"""AG408: a method stands alone without its parentheses."""

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


class MissingCall(SilentRule):
    """The parentheses of a call are missing, so the method is not called.

    ## What it does

    Finds statements like `loss.backward`, `optimizer.step` and `model.eval`. A method that is used
    as a value (`total += loss.item`) is told by `method-as-value`.

    ## Why it is bad

    The method is looked up but not called, and the statement does nothing: no gradient is computed,
    no parameter is updated. Python says nothing about it.

    ## Example

    ```python
    import torch

    w = torch.ones(2, requires_grad=True)
    loss = w.sum()
    loss.backward
    assert w.grad is not None  # fails: no backward has run
    ```

    ## Use instead

    ```python
    import torch

    w = torch.ones(2, requires_grad=True)
    loss = w.sum()
    loss.backward()
    assert w.grad is not None
    ```

    ## Fix safety

    The fix to call the method is unsafe: the call then has an effect.

    ## References

    - [torch.Tensor.backward](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html)
    """

    code = "AG408"
    name = "missing-call"
    kinds = frozenset({Pitfall.NOT_CALLED})
    message = "{operator} is not called: the parentheses are missing"
    label = "no parentheses"
    reason = "without `()` the method is looked up, but not called"
    advice = "call it: add `()`"

    def mend(self, fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
        return unsafe("Call it", chunk.mends.call_it(place))
