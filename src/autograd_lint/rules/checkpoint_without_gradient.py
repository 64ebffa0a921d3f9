"""AG318: a reentrant checkpoint has no input that requires grad."""

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


class CheckpointWithoutGradient(SilentRule):
    """A reentrant checkpoint has no input that requires grad.

    ## What it does

    Finds `checkpoint(..., use_reentrant=True)`, or segments of `checkpoint_sequential`, none of
    whose inputs require grad, though what runs inside has parameters.

    ## Why it is bad

    A reentrant checkpoint without an input that requires grad builds no graph: the parameters
    inside get no gradient.

    ## Example

    ```python
    import warnings

    import torch
    from torch.utils.checkpoint import checkpoint

    warnings.simplefilter("ignore")
    body, head = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
    hidden = checkpoint(body, torch.ones(1, 2), use_reentrant=True)
    head(hidden).sum().backward()
    assert body.weight.grad is not None
    ```

    ## Use instead

    ```python
    import torch
    from torch.utils.checkpoint import checkpoint

    body, head = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
    hidden = checkpoint(body, torch.ones(1, 2), use_reentrant=False)
    head(hidden).sum().backward()
    assert body.weight.grad is not None
    ```

    ## Fix safety

    The fix to `use_reentrant=False` is unsafe: the parameters inside get gradients.

    ## References

    - [torch.utils.checkpoint](https://docs.pytorch.org/docs/stable/checkpoint.html)
    """

    code = "AG318"
    name = "checkpoint-without-gradient"
    kinds = frozenset({Pitfall.CHECKPOINT_CUTS})
    message = "no input of this checkpoint requires grad, so its parameters get no gradient"
    label = "runs without a graph"
    reason = "`use_reentrant=True` only builds a graph if an input requires grad"
    advice = "write `use_reentrant=False`"

    def mend(self, fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
        edits = chunk.mends.set_keyword(place, "use_reentrant", "False")
        return unsafe("Write `use_reentrant=False`", edits)
