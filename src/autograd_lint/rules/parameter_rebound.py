"""AG316: an update makes a new tensor instead of changing the parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import LOST_ENTRY, LOST_STATE, LOST_UPDATE, Pitfall
from autograd_lint.findings import Fix
from autograd_lint.places import Place
from autograd_lint.rules.mending import unsafe
from autograd_lint.rules.silent import SilentRule

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class ParameterRebound(SilentRule):
    """An update creates a new tensor instead of changing the parameter.

    ## What it does

    Finds updates like `w = w - lr * w.grad` under `no_grad()`, after which the name refers to a
    tensor that does not require grad, and updates like `p = 0.9 * p + 0.1 * q` or
    `p = q.data` of the variable of a loop that are never read. Also finds entries of
    `module.state_dict()` that are set, in a dictionary that is then neither loaded nor handed over.

    ## Why it is bad

    The parameter itself is unchanged, and whatever is computed from the new tensor has no graph.

    ## Example

    ```python
    import torch

    w = torch.ones(2, requires_grad=True)
    w.sum().backward()
    with torch.no_grad():
        w = w - 0.1 * w.grad
    assert w.requires_grad
    ```

    ## Use instead

    ```python
    import torch

    w = torch.ones(2, requires_grad=True)
    w.sum().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    assert w.requires_grad
    ```

    ## Fix safety

    The fix to update in place is unsafe: other references to the parameter see the change.

    ## References

    - [Autograd mechanics: locally disabling gradient computation](https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation)
    """

    code = "AG316"
    name = "parameter-rebound"
    kinds = frozenset({Pitfall.PARAMETER_REBOUND})
    message = "{tensor} is now a new tensor that does not require grad"
    label = "a new tensor"
    reason = "an operator returns a new tensor, and under `no_grad()` it does not require grad"
    advice = "update it in place under `no_grad()`: `w -= ...` or `w.copy_(...)`"

    def says(self, fault: Fault) -> str:
        if fault.detail == LOST_UPDATE:
            return "this changes no parameter: only the name {tensor} means another tensor"
        if fault.detail == LOST_ENTRY:
            return "this changes no parameter: only {tensor} of the dictionary is another tensor"
        if fault.detail == LOST_STATE:
            return "this changes no parameter: {tensor} is a new dictionary, which nothing loads"
        return super().says(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == LOST_UPDATE:
            return "the next iteration binds the name anew, and nothing reads it before"
        if fault.detail in (LOST_ENTRY, LOST_STATE):
            return "`state_dict()` makes a new dictionary, and nothing loads this one"
        return super().explains(fault)

    def mend(self, fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
        edits = chunk.mends.update_in_place(place)
        return unsafe("Update in place", edits)
