"""AG335: the value of `parameter.detach_()` is used: the parameter does not learn any more."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class ParameterDetached(SilentRule):
    """The value of `parameter.detach_()` is used: the parameter does not learn any more.

    ## What it does

    Finds `self.weight.detach_()` in an expression, in a class that makes `self.weight` a
    parameter. A statement that does nothing else is taken for a deliberate freeze.

    ## Why it is bad

    `detach_()` switches `requires_grad` off on the parameter itself, for good; who uses the
    value wanted `detach()`.

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
    message = "{tensor} is detached in place, though only its value is wanted here"
    label = "switches `requires_grad` off"
    reason = "`detach_()` changes the parameter itself"
    advice = "use `detach()`, which leaves the parameter as it is"
