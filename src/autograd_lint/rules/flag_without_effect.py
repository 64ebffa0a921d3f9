"""AG323: `requires_grad` is set where it means nothing, or misspelt."""

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


class FlagWithoutEffect(SilentRule):
    """`requires_grad` is misspelt, or set on a module.

    ## What it does

    Finds `module.requires_grad = False`, and assignments to misspelt names like `require_grad`, or
    to the method `requires_grad_`.

    ## Why it is bad

    Python creates a new attribute that nothing reads: no parameter is frozen.

    ## Example

    ```python
    import torch

    layer = torch.nn.Linear(2, 2)
    layer.requires_grad = False
    assert not layer.weight.requires_grad
    ```

    ## Use instead

    ```python
    import torch

    layer = torch.nn.Linear(2, 2)
    layer.requires_grad_(False)
    assert not layer.weight.requires_grad
    ```

    ## Fix safety

    The fix is unsafe: the parameters that it freezes are no longer trained.

    ## References

    - [torch.nn.Module.requires_grad_](https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.requires_grad_)
    """

    code = "AG323"
    name = "flag-without-effect"
    kinds = frozenset({Pitfall.FLAG_WITHOUT_EFFECT})
    message = "setting {operator} here has no effect"
    label = "a new attribute that nothing reads"
    reason = "only tensors have a `requires_grad` flag, spelled exactly like this"
    advice = (
        "write `module.requires_grad_(False)` for a module, `tensor.requires_grad = False` "
        "for a tensor"
    )

    def mend(self, fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
        return unsafe("Set the flag of the tensors", chunk.mends.set_flag(place))
