"""AG610: hooks that a loop registers all use the values of its last iteration."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class HookLateBound(SilentRule):
    """Hooks that a loop registers all use the values of its last iteration.

    ## What it does

    Finds hooks that are defined and registered in a loop, and read a variable that the loop binds
    anew in each iteration.

    ## Why it is bad

    A function reads the variables around it when it runs. Hooks run during backward, after the
    loop: each of them sees the values of the last iteration, and gradients are masked or scaled by
    what belongs to another tensor. No error is raised where the shapes agree.

    ## Example

    ```python
    import torch

    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    for tensor, factor in ((a, 2.0), (b, 3.0)):
        tensor.register_hook(lambda grad: grad * factor)
    (a + b).sum().backward()
    assert a.grad.tolist() == [2.0, 2.0]
    ```

    ## Use instead

    ```python
    import torch

    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    for tensor, factor in ((a, 2.0), (b, 3.0)):
        tensor.register_hook(lambda grad, factor=factor: grad * factor)
    (a + b).sum().backward()
    assert a.grad.tolist() == [2.0, 2.0]
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Python: lambdas defined in a loop](https://docs.python.org/3/faq/programming.html#why-do-lambdas-defined-in-a-loop-with-different-values-all-return-the-same-result)
    """

    code = "AG610"
    name = "hook-late-bound"
    kinds = frozenset({Pitfall.HOOK_LATE_BOUND})
    message = "all hooks of this loop use the last value of {tensor}"
    label = "reads {tensor} when it runs, after the loop"
    reason = "a function reads the variables around it when it runs"
    advice = "bind the value as a default (`lambda grad, x=x: ...`), or use `functools.partial`"
