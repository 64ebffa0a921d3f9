"""AG319: backward is asked for the gradient of a tensor that the root does not depend on."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import (
    HOOK_UNREACHED,
    Pitfall,
)
from autograd_lint.rules.silent import SilentRule


class BackwardInputUnused(SilentRule):
    """`backward(inputs=...)` names a tensor that the loss does not depend on.

    ## What it does

    Finds `backward(inputs=...)` with a tensor that is not in the graph. `trace` also finds hooks
    for gradients (`tensor.register_hook`) that never run, for no backward gets to their tensor.

    ## Why it is bad

    `torch.autograd.grad` raises in this case. `backward` silently does nothing: the tensor gets no
    gradient.

    ## Example

    ```python
    import torch

    x = torch.ones(2, requires_grad=True)
    p = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward(inputs=[p])
    assert p.grad is not None
    ```

    ## Use instead

    ```python
    import torch

    x = torch.ones(2, requires_grad=True)
    p = torch.ones(2, requires_grad=True)
    (x * p).sum().backward(inputs=[p])
    assert p.grad is not None
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.Tensor.backward](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html)
    """

    code = "AG319"
    name = "backward-input-unused"
    kinds = frozenset({Pitfall.INPUT_UNUSED})
    message = "no gradient reaches {tensor}: the root does not depend on it"
    label = "no gradient is computed for {tensor}"
    reason = "`inputs` leaves out every other leaf, and this one is not in the graph"
    advice = "compute the root from {tensor}, or remove it from `inputs`"

    def says(self, fault: Fault) -> str:
        if fault.detail == HOOK_UNREACHED:
            return "this hook never runs: no backward gets to the tensor"
        return super().says(fault)

    def labels(self, fault: Fault) -> str:
        if fault.detail == HOOK_UNREACHED:
            return "put on a tensor that no loss depends on"
        return super().labels(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == HOOK_UNREACHED:
            return "a hook runs when the gradient of its tensor is computed"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == HOOK_UNREACHED:
            return "register it on the tensor that the loss is computed from"
        return super().advises(fault)
