"""AG607: a backward hook of the old kind is given the gradients of one operator only."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class LegacyBackwardHook(SilentRule):
    """A backward hook of the old kind only sees the gradients of one operator.

    ## What it does

    Finds `module.register_backward_hook(hook)`.

    ## Why it is bad

    Such a hook is attached to the last operator of `forward`: its `grad_input` belongs to that
    operator, not to the module, and of several outputs it only sees one.

    ## Example

    ```python
    import warnings

    import torch

    warnings.simplefilter("ignore")
    seen = []
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Linear(2, 1))
    model.register_backward_hook(lambda module, inputs, outputs: seen.extend(inputs))
    model(torch.ones(4, 3, requires_grad=True)).sum().backward()
    assert len(seen) == 1
    ```

    ## Use instead

    ```python
    import warnings

    import torch

    warnings.simplefilter("ignore")
    seen = []
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Linear(2, 1))
    model.register_full_backward_hook(lambda module, inputs, outputs: seen.extend(inputs))
    model(torch.ones(4, 3, requires_grad=True)).sum().backward()
    assert len(seen) == 1
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Module.register_full_backward_hook](https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook)
    """

    code = "AG607"
    name = "legacy-backward-hook"
    kinds = frozenset({Pitfall.LEGACY_HOOK})
    message = "this hook is given the gradients of the last operator in {tensor}, not of the module"
    label = "only sees one node of the graph"
    reason = "`register_backward_hook` hooks one node of the graph"
    advice = "use `register_full_backward_hook`"
