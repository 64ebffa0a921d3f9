"""AG108: a hook writes to the gradient that it is given."""

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


class HookModifiesGradient(SilentRule):
    """A hook modifies the gradient it receives in place.

    ## What it does

    Finds functions passed to `Tensor.register_hook` that modify their argument in place, and
    `backward` methods of custom Functions that do so to a gradient which other branches of the
    graph receive as well.

    ## Why it is bad

    The same gradient tensor may also flow to other parts of the graph: they get the modified values
    too.

    ## Example

    ```python
    import torch

    x = torch.ones(2, requires_grad=True)
    z = torch.ones(2, requires_grad=True)
    x.register_hook(lambda grad: grad.mul_(0))
    (x + z).backward(torch.ones(2))
    assert z.grad.eq(1).all()
    ```

    ## Use instead

    ```python
    import torch

    x = torch.ones(2, requires_grad=True)
    z = torch.ones(2, requires_grad=True)
    x.register_hook(lambda grad: grad * 0)
    (x + z).backward(torch.ones(2))
    assert z.grad.eq(1).all()
    ```

    ## Fix safety

    The fix to the out-of-place operator is unsafe; it is offered where the hook returns the result.

    ## References

    - [torch.Tensor.register_hook](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.register_hook.html)
    """

    code = "AG108"
    name = "hook-modifies-gradient"
    kinds = frozenset({Pitfall.HOOK_MODIFIES})
    message = "{operator} modifies in place a gradient that is shared"
    label = "modified in place here"
    reason = "other branches of the graph may hold the same gradient tensor"
    advice = "return a new gradient instead"

    def mend(self, fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
        write = chunk.write_at(place, fault.tensor, fault.operator)
        if write is None or write.alone:
            return None
        return unsafe("Return a new gradient", write.edits)
