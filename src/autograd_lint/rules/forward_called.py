"""AG605: `forward` is called instead of the module, or instead of `apply` of a custom Function."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import CUSTOM_FUNCTION, Pitfall
from autograd_lint.rules.silent import SilentRule


class ForwardCalled(SilentRule):
    """`forward` is called instead of the module, or of `apply`.

    ## What it does

    Finds `module.forward(x)` outside of modules. It is certain if hooks are registered on the
    module, otherwise only possible. Finds `MyFunction.forward(ctx, x)` of a custom
    `autograd.Function` where a gradient is wanted.

    ## Why it is bad

    Hooks run around `module(x)`, not around `forward`: weight and spectral normalization, feature
    extraction, quantization and profilers that use hooks are silently skipped. The `backward` of a
    custom Function is only registered by `apply`: a `forward` that is called by its name is
    differentiated operator by operator, or not at all.

    ## Example

    ```python
    import torch

    seen = []
    model = torch.nn.Linear(2, 1)
    model.register_forward_hook(lambda module, inputs, output: seen.append(output))
    out = model.forward(torch.ones(1, 2))
    assert seen
    ```

    ## Use instead

    ```python
    import torch

    seen = []
    model = torch.nn.Linear(2, 1)
    model.register_forward_hook(lambda module, inputs, output: seen.append(output))
    out = model(torch.ones(1, 2))
    assert seen
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.nn.Module.forward](https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.forward)
    """

    code = "AG605"
    name = "forward-called"
    kinds = frozenset({Pitfall.FORWARD_CALLED})
    message = "the hooks of {tensor} do not run"
    label = "calls `forward` directly"
    reason = "hooks run when the module is called"
    advice = "call the module: `module(x)`"

    def says(self, fault: Fault) -> str:
        if fault.detail == CUSTOM_FUNCTION:
            return "the `backward` of {tensor} is never used"
        return super().says(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == CUSTOM_FUNCTION:
            return "only `apply` registers it"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == CUSTOM_FUNCTION:
            return "call `apply`, without a context"
        return super().advises(fault)
