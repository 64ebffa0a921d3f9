"""AG335: the value of `parameter.detach_()` is used: the parameter does not learn any more."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class ParameterDetached(SilentRule):
    """`parameter.detach_()` is used as a value: the parameter is no longer trained.

    ## What it does

    Finds `self.weight.detach_()` inside an expression, in a class where `self.weight` is a
    parameter. As a statement of its own it is assumed to freeze the parameter deliberately.

    ## Why it is bad

    `detach_()` permanently sets `requires_grad` to False on the parameter itself; `detach()`
    returns a detached tensor and leaves the parameter alone.

    ## Example

    ```python
    import torch


    class Spring(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.stiffness = torch.nn.Parameter(torch.ones(1))

        def period(self):
            return 6.28 / self.stiffness.detach_().sqrt()


    spring = Spring()
    spring.period()
    assert spring.stiffness.requires_grad
    ```

    ## Use instead

    ```python
    import torch


    class Spring(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.stiffness = torch.nn.Parameter(torch.ones(1))

        def period(self):
            return 6.28 / self.stiffness.detach().sqrt()


    spring = Spring()
    spring.period()
    assert spring.stiffness.requires_grad
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.Tensor.detach_](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach_.html)
    """

    code = "AG335"
    name = "parameter-detached"
    kinds = frozenset({Pitfall.PARAMETER_DETACHED})
    message = "{tensor} is detached in place, though only its value is needed here"
    label = "switches `requires_grad` off"
    reason = "`detach_()` changes the parameter itself"
    advice = "use `detach()`, which leaves the parameter as it is"
