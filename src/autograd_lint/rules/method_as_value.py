"""AG424: a method is used where its result is meant."""

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


class MethodAsValue(SilentRule):
    """A method itself is computed with, printed or kept, where its result is meant.

    ## What it does

    Finds methods of tensors that are used as values, printed or stored (`total += loss.item`), and
    `model.parameters` where the parameters are needed. A method that stands alone as a statement is
    told by `missing-call`.

    ## Why it is bad

    The method itself is the value. That raises a `TypeError` or `AttributeError` where it is
    computed with, and prints or keeps `<built-in method item ...>` elsewhere, with the tensor and
    its graph.

    ## Example

    ```python
    import torch

    w = torch.ones(2, requires_grad=True)
    loss = w.sum()
    losses = []
    losses.append(loss.item)
    assert losses == [2.0]  # fails: the list holds a method
    ```

    ## Use instead

    ```python
    import torch

    w = torch.ones(2, requires_grad=True)
    loss = w.sum()
    losses = []
    losses.append(loss.item())
    assert losses == [2.0]
    ```

    ## Fix safety

    The fix to call the method is unsafe: what follows then gets another value.

    ## References

    - [torch.Tensor.item](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.item.html)
    """

    code = "AG424"
    name = "method-as-value"
    kinds = frozenset({Pitfall.METHOD_AS_VALUE})
    message = "{operator} is used without being called: the parentheses are missing"
    label = "no parentheses"
    reason = "without `()` this is the method, not its result"
    advice = "call it: add `()`"

    def mend(self, fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
        return unsafe("Call it", chunk.mends.call_it(place))
