"""AG112: a value in the middle of a graph is changed where autograd does not record it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.places import Place
from autograd_lint.rules.silent import SilentRule
from autograd_lint.rules.wording import spoken

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class UnrecordedChange(SilentRule):
    """A value inside a graph is changed where autograd does not record it.

    ## What it does

    Finds in-place operators with a derivative of their own (`clamp_`, `mul_`, `neg_`, ...) on the
    `.data` of a value that has a graph, or on the value itself under `no_grad`, where the value is
    used in the graph afterwards.

    ## Why it is bad

    Later operators use the new values, but the gradient ignores the change: clipped elements get a
    gradient, and scaled elements get that of the old scale.

    ## Example

    ```python
    import torch

    x = torch.tensor([0.5, 3.0], requires_grad=True)
    hidden = x + 1
    hidden.data.clamp_(max=2.0)
    hidden.square().sum().backward()
    assert x.grad[1] == 0
    ```

    ## Use instead

    ```python
    import torch

    x = torch.tensor([0.5, 3.0], requires_grad=True)
    hidden = x + 1
    hidden = hidden.clamp(max=2.0)
    hidden.square().sum().backward()
    assert x.grad[1] == 0
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [In-place correctness checks](https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks)
    """

    code = "AG112"
    name = "unrecorded-change"
    kinds = frozenset({Pitfall.UNRECORDED_CHANGE})
    message = "{operator} changes {tensor} without autograd: its gradient ignores the change"
    label = "not recorded"
    reason = "autograd continues from the changed values as if nothing had happened to them"
    advice = "use {copying} of the value itself, and go on with its result"
    events = (("built", "the value comes from here"),)

    def words(self, fault: Fault, place: Place, chunk: Chunk) -> dict[str, str]:
        copying = spoken(fault.operator.rstrip("_"))
        return {**super().words(fault, place, chunk), "copying": copying}
