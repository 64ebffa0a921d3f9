"""AG107: a write that autograd has no way to record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.findings import Finding
from autograd_lint.places import Place
from autograd_lint.rules.base import Rule
from autograd_lint.rules.mending import unsafe_fix, write_of, written
from autograd_lint.rules.wording import made, quoted, spoken

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk

# The operator that refuses -> what to do instead.
_HELP = {
    "resize_": "create a new tensor of the desired size and copy into it",
    "resize_as_": "create a new tensor of the desired size and copy into it",
    "apply_": "call it on `.detach()`, or use PyTorch operators, which are differentiable",
    "map_": "call it on `.detach()`, or use PyTorch operators, which are differentiable",
    "detach_": "use `detach()`, which returns a new tensor",
}
_HELP_OUT = "remove `out=` and use the returned tensor, or call it under `no_grad()`"
_HELP_ELSE = "write into a `.clone()`"


class ForbiddenInplace(Rule):
    """An in-place write that autograd does not support.

    ## What it does

    Finds `out=` where an argument requires grad, `resize_`, `apply_` and `map_` on tensors that
    require grad, `detach_()` on views, and writes to expanded tensors, whose elements share memory.

    ## Why it is bad

    PyTorch raises at the call, for example: "functions with out=... arguments don't support
    automatic differentiation, but one of the arguments requires grad".

    ## Example

    ```python
    import torch

    w = torch.randn(3, requires_grad=True)
    buffer = torch.empty(3)
    torch.mul(w, 2, out=buffer)
    ```

    ## Use instead

    ```python
    import torch

    w = torch.randn(3, requires_grad=True)
    buffer = torch.mul(w, 2)
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Autograd mechanics: in-place operations](https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd)
    """

    code = "AG107"
    name = "forbidden-inplace"
    kinds = frozenset({FaultKind.OTHER})

    def answers(self, fault: Fault) -> bool:
        return super().answers(fault) and is_write(fault)

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        write = write_of(fault, place, chunk)
        is_out = write is not None and write.form.value == "out="
        return self.tell(
            fault,
            write.place if write else place,
            message=f"{spoken(fault.operator)} cannot write to {quoted(fault.tensor)} here",
            label="not supported by autograd",
            role="modified",
            reason=fault.detail,
            help=_HELP_OUT if is_out else _HELP.get(fault.operator, _HELP_ELSE),
            related=(made(fault.built),),
            fix=unsafe_fix(write, chunk, written(fault)),
        )


def is_write(fault: Fault) -> bool:
    """Whether it is a write that was refused."""
    in_place = fault.operator in _HELP or "out=" in fault.detail
    return in_place or fault.modified is not None
