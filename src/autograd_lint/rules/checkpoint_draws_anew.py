"""AG347: a checkpoint draws other random numbers when backward runs it again."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import OTHER_GENERATOR, OWN, Pitfall
from autograd_lint.rules.silent import SilentRule


class CheckpointDrawsAnew(SilentRule):
    """A checkpoint draws other random numbers when backward runs it again.

    ## What it does

    Finds calls of `torch.utils.checkpoint.checkpoint` with `preserve_rng_state=False` whose
    function applies dropout, or draws a sample that the gradient goes through. Also finds custom
    Functions that are checkpoints of the program's own: `backward` runs once more what `forward`
    has run, and that applies dropout. `trace` also reports functions that draw from Python's
    `random` or from NumPy, whose generators no checkpoint puts back.

    Where the file puts the generators back itself (`set_rng_state`, `fork_rng`) nothing is told.

    ## Why it is bad

    Backward runs the function again to get the tensors it needs. Without the state of the random
    number generators it drops other elements than the forward has dropped: the gradient belongs to
    another loss than the one that was computed. No error is raised.

    ## Example

    ```python
    import torch
    import torch.nn.functional as F
    from torch.utils.checkpoint import checkpoint

    x = torch.ones(100, requires_grad=True)
    out = checkpoint(F.dropout, x, use_reentrant=False, preserve_rng_state=False)
    out.sum().backward()
    assert torch.equal(x.grad, out.detach())
    ```

    ## Use instead

    ```python
    import torch
    import torch.nn.functional as F
    from torch.utils.checkpoint import checkpoint

    x = torch.ones(100, requires_grad=True)
    out = checkpoint(F.dropout, x, use_reentrant=False)
    out.sum().backward()
    assert torch.equal(x.grad, out.detach())
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.utils.checkpoint](https://docs.pytorch.org/docs/stable/checkpoint.html)
    """

    code = "AG347"
    name = "checkpoint-draws-anew"
    kinds = frozenset({Pitfall.DRAWN_ANEW})
    message = "backward runs this again with other random numbers: {operator} draws anew"
    label = "the state of the generators is not kept"
    reason = "`preserve_rng_state=False`, so the gradient belongs to another draw than the loss"
    advice = "remove `preserve_rng_state=False`: the default puts the generators back"
    events = (("built", "drawn here"), ("needed", "run again by this backward"))

    def explains(self, fault: Fault) -> str:
        if fault.detail == OTHER_GENERATOR:
            return "a checkpoint puts back the generators of PyTorch, and no others"
        if fault.detail == OWN:
            return "`forward` and `backward` both draw: the gradient belongs to another draw"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == OTHER_GENERATOR:
            return "draw with `torch.rand`, or before the checkpoint, and hand the numbers over"
        if fault.detail == OWN:
            return "use `torch.utils.checkpoint`, or keep the generators' state in `forward`"
        return super().advises(fault)
