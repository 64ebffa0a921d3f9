"""AG607: a backward hook of the old kind is given the gradients of one operator only."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class LegacyBackwardHook(SilentRule):
    """A backward hook of the old kind is given the gradients of one operator only.

    ## What it does

    Finds `module.register_backward_hook(hook)`.

    ## Why it is bad

    Such a hook sits on the last operator that `forward` runs: the gradients it is given for the
    input are those of that operator, not of the module, and of several results it knows one.

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
    label = "sees one node of the graph only"
    reason = "`register_backward_hook` hooks one node of the graph"
    advice = "use `register_full_backward_hook`"
