"""AG608: a hook is registered once more in each iteration."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class HookRepeated(SilentRule):
    """A hook is registered once more in each iteration, and all of them run.

    ## What it does

    Finds hooks that one statement puts on the same module or parameter several times without
    removing them.

    ## Why it is bad

    Hooks add up: a hook that scales a gradient scales it once more in every epoch, one that
    collects activations collects each of them several times. Nothing is raised.

    ## Example

    ```python
    import torch

    w = torch.nn.Parameter(torch.ones(1))
    for _ in range(3):
        w.register_hook(lambda gradient: gradient * 0.5)
        w.grad = None
        w.sum().backward()
    assert w.grad == 0.5
    ```

    ## Use instead

    ```python
    import torch

    w = torch.nn.Parameter(torch.ones(1))
    w.register_hook(lambda gradient: gradient * 0.5)
    for _ in range(3):
        w.grad = None
        w.sum().backward()
    assert w.grad == 0.5
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.Tensor.register_hook](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.register_hook.html)
    """

    code = "AG608"
    name = "hook-repeated"
    kinds = frozenset({Pitfall.HOOK_REPEATED})
    message = "this hook is registered once more each time, and the earlier ones stay"
    label = "adds a hook"
    reason = "hooks are not replaced: all that were registered run"
    advice = "register it once, before the loop, or call `remove()` on what {operator} returns"
