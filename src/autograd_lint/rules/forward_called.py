"""AG605: the `forward` of a module is called instead of the module."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class ForwardCalled(SilentRule):
    """`module.forward(x)` is called instead of `module(x)`.

    ## What it does

    Finds `module.forward(x)` outside of modules. It is certain if hooks are registered on the
    module, otherwise only possible.

    ## Why it is bad

    Hooks run around `module(x)`, not around `forward`: weight and spectral normalization, feature
    extraction, quantization and profilers that use hooks are silently skipped.

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
