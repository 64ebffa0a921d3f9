"""AG407: the loss of one network leaves its gradient in another."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import ANOTHER_LEAF, Pitfall
from autograd_lint.rules.silent import SilentRule


class ForeignGradient(SilentRule):
    """An optimizer steps with gradients of a loss that was meant for another network.

    ## What it does

    Finds steps that use gradients from the loss of another optimizer in addition to those of their
    own loss. In a GAN, for example, the discriminator's loss also reaches the generator if the fake
    images are not detached. `trace` also reports parameters that the program moves by the gradient
    of another parameter (a list of gradients that is paired with the wrong list).

    ## Why it is bad

    The parameters are updated for a loss that was meant for the other network, often in the
    opposite direction.

    ## Example

    ```python
    import torch

    g = torch.ones(1, requires_grad=True)
    d = torch.ones(1, requires_grad=True)
    step_g = torch.optim.SGD([g], lr=0.0)
    step_d = torch.optim.SGD([d], lr=0.0)
    for _ in range(2):
        step_d.zero_grad()
        (d * g).sum().backward()
        step_d.step()
        (-d * g).sum().backward()
        step_g.step()
        assert g.grad.item() == -1
        step_g.zero_grad()
    ```

    ## Use instead

    ```python
    import torch

    g = torch.ones(1, requires_grad=True)
    d = torch.ones(1, requires_grad=True)
    step_g = torch.optim.SGD([g], lr=0.0)
    step_d = torch.optim.SGD([d], lr=0.0)
    for _ in range(2):
        step_d.zero_grad()
        (d * g.detach()).sum().backward()
        step_d.step()
        (-d * g).sum().backward()
        step_g.step()
        assert g.grad.item() == -1
        step_g.zero_grad()
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [DCGAN tutorial](https://docs.pytorch.org/tutorials/beginner/dcgan_faces_tutorial.html)
    """

    code = "AG407"
    name = "foreign-gradient"
    kinds = frozenset({Pitfall.FOREIGN_GRADIENT})
    message = (
        "this backward also adds a gradient to {tensor}, which the step of another loss then uses"
    )
    label = "also reaches the parameters of another optimizer"
    reason = "gradients stay in `.grad` until they are cleared"
    advice = (
        "detach what this loss should not train, or clear the gradients before the other backward"
    )
    unnamed = "a parameter"
    events = (
        ("modified", "this step uses it"),
        ("needed", "the backward that was meant for these parameters"),
    )

    def says(self, fault: Fault) -> str:
        if fault.detail == ANOTHER_LEAF:
            return "this moves {tensor} by the gradient of another parameter"
        return super().says(fault)

    def labels(self, fault: Fault) -> str:
        if fault.detail == ANOTHER_LEAF:
            return "not the gradient of this parameter"
        return super().labels(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == ANOTHER_LEAF:
            return "`torch.autograd.grad` gives the gradients in the order of its inputs"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == ANOTHER_LEAF:
            return "go through the gradients together with the list that they were asked for"
        return super().advises(fault)
