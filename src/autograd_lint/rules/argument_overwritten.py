"""AG110: a function changes a tensor that its caller goes on using."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.places import Place
from autograd_lint.rules.mending import out_of_place, write_of, written
from autograd_lint.rules.silent import SilentRule

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class ArgumentOverwritten(SilentRule):
    """A function modifies its argument in place, and the caller uses it again.

    ## What it does

    Finds arguments that are modified by `+=`, or by a layer with `inplace=True` at the beginning of
    a block, where the function returns another tensor and the caller uses its own again.

    ## Why it is bad

    `x += 1` looks as if it made a new `x`, but it modifies the caller's tensor. A skip connection
    then adds the modified input instead of the original one.

    ## Example

    ```python
    import torch

    block = torch.nn.Sequential(torch.nn.ReLU(inplace=True), torch.nn.Linear(2, 2))
    x = torch.tensor([[-1.0, 2.0]])
    out = block(x) + x
    assert x.min() == -1
    ```

    ## Use instead

    ```python
    import torch

    block = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(2, 2))
    x = torch.tensor([[-1.0, 2.0]])
    out = block(x) + x
    assert x.min() == -1
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.nn.ReLU](https://docs.pytorch.org/docs/stable/generated/torch.nn.ReLU.html)
    """

    code = "AG110"
    name = "argument-overwritten"
    kinds = frozenset({Pitfall.ARGUMENT_OVERWRITTEN})
    assumes = frozenset({Kind.WANTED_BY_CALLER})
    message = "{operator} modifies the caller's tensor, which the caller uses again"
    label = "modifies its argument"
    reason = "the function returns another tensor, so the caller does not expect its own to change"
    advice = "{instead}"
    events = (("needed", "used here, changed"),)

    def words(self, fault: Fault, place: Place, chunk: Chunk) -> dict[str, str]:
        instead = out_of_place(write_of(fault, place, chunk), written(fault))
        return {**super().words(fault, place, chunk), "instead": instead}
