"""AG407: the loss of one network leaves its gradient in another."""

from dataclasses import dataclass

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import ANOTHER_LEAF, JUDGE, RAISED, Pitfall
from autograd_lint.rules.silent import SilentRule


class ForeignGradient(SilentRule):
    """An optimizer steps with gradients of a loss that was meant for another network.

    ## What it does

    Finds steps that use gradients from the loss of another optimizer in addition to those of their
    own loss. In a GAN, for example, the discriminator's loss also reaches the generator if the fake
    images are not detached. Also finds optimizers that have the parameters of a network which
    judges what they train, and which another optimizer trains, and losses of which one term fits a
    network (`mse_loss(critic(state, action), wanted)`) and another one raises what it says of what
    a second network makes (`-critic(state, actor(state)).mean()`): both are trained by both.
    `trace` reports parameters that the program moves by the gradient of another parameter (a list
    of gradients that is paired with the wrong list).

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
        return _words(fault).says

    def labels(self, fault: Fault) -> str:
        return _words(fault).label

    def explains(self, fault: Fault) -> str:
        return _words(fault).reason

    def advises(self, fault: Fault) -> str:
        return _words(fault).advice


@dataclass(frozen=True)
class _Words:
    """How one way to step with the gradients of another loss is told, as templates."""

    says: str
    label: str
    reason: str
    advice: str


_USUAL = _Words(
    ForeignGradient.message, ForeignGradient.label, ForeignGradient.reason, ForeignGradient.advice
)
_WORDS = {
    ANOTHER_LEAF: _Words(
        "this moves {tensor} by the gradient of another parameter",
        "not the gradient of this parameter",
        "`torch.autograd.grad` gives the gradients in the order of its inputs",
        "go through the gradients together with the list that they were asked for",
    ),
    JUDGE: _Words(
        "this optimizer also has {tensor}, which another optimizer trains to judge the rest",
        "given the parameters of both networks",
        "the loss that is to train the rest goes through the judging network, and moves it as well",
        "give each optimizer the parameters of its own network",
    ),
    RAISED: _Words(
        "this term also trains {tensor}, which another term of the loss fits to what is true",
        "raises what the network says",
        "the network learns to say more of whatever it is given by the one that it judges",
        "run a backward and a step for each of both, and clear or freeze the judging network before"
        " that of the other one",
    ),
}


def _words(fault: Fault) -> _Words:
    return _WORDS.get(fault.detail, _USUAL)
