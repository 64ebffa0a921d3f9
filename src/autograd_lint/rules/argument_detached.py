"""AG116: a function detaches in place what its caller goes on computing with."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class ArgumentDetached(SilentRule):
    """A function detaches its argument in place, and the caller keeps using it.

    ## What it does

    Finds `argument.detach_()` in a function whose caller then computes with the same tensor while
    gradients are recorded.

    ## Why it is bad

    `detach_()` changes the tensor itself: the caller's graph ends there as well, and everything
    before it gets no gradient. No error is raised.

    ## Example

    ```python
    import torch

    layer = torch.nn.Linear(2, 2)
    gain = torch.ones(2, requires_grad=True)


    def energy(wave):
        return wave.detach_().square().mean().item()


    wave = layer(torch.ones(1, 2))
    energy(wave)
    (wave * gain).sum().backward()
    assert layer.weight.grad is not None
    ```

    ## Use instead

    ```python
    import torch

    layer = torch.nn.Linear(2, 2)
    gain = torch.ones(2, requires_grad=True)


    def energy(wave):
        return wave.detach().square().mean().item()


    wave = layer(torch.ones(1, 2))
    energy(wave)
    (wave * gain).sum().backward()
    assert layer.weight.grad is not None
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.Tensor.detach_](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach_.html)
    """

    code = "AG116"
    name = "argument-detached"
    kinds = frozenset({Pitfall.ARGUMENT_DETACHED})
    message = "{tensor} is detached in place here, and the caller keeps using it"
    label = "detaches the caller's tensor"
    reason = "`detach_()` changes the tensor itself, not a copy of it"
    advice = "use `detach()`, which returns a new tensor"
