"""AG321: an optimizer has parameters that no loss reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import (
    FROZEN_STEP,
    HANDED_OUT,
    NO_BACKWARD,
    UNUSED_LOSS,
    Pitfall,
)
from autograd_lint.places import Place
from autograd_lint.rules.silent import SilentRule

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk

_SAYS = {
    UNUSED_LOSS: "no backward uses this loss, and only it reaches {tensor}",
    FROZEN_STEP: "this step finds no gradient: its parameters were frozen when the loss was made",
    HANDED_OUT: "this step finds no gradient: `autograd.grad` returns them, and stores none",
    NO_BACKWARD: "this step finds no gradient: nothing runs backward",
}
_ADVICE = {
    UNUSED_LOSS: "add it to the loss that `backward()` is called on: `total = total + loss`",
    HANDED_OUT: "call `loss.backward()`, or assign each gradient to the `.grad` of its parameter",
    NO_BACKWARD: "call `loss.backward()` before the step",
}
_DONE = {
    HANDED_OUT: "the gradients are returned",
    NO_BACKWARD: "the optimizer is created",
}


class OptimizerWithoutGradients(SilentRule):
    """An optimizer was given parameters that no loss reaches.

    ## What it does

    Finds optimizers that step without ever finding a gradient, while backward fills those of other
    tensors: for example, an optimizer of a copy of the model, of the values of `state_dict()`, or
    of a network that was frozen for a while and never switched on again. A step that comes after a
    loss for which all of its parameters were frozen is told by itself, and so is one whose
    gradients `torch.autograd.grad` has only handed out, or in whose program nothing runs backward.
    Also finds losses that no backward uses, where parameters of an optimizer get a gradient from
    nothing else: for example, a loss that the next iteration overwrites before `backward()`.

    ## Why it is bad

    The step does not change the model that computes the loss.

    ## Example

    ```python
    import torch

    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.state_dict().values(), lr=0.1)
    before = model.weight.clone()
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    assert not torch.equal(model.weight, before)
    ```

    ## Use instead

    ```python
    import torch

    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = model.weight.clone()
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    assert not torch.equal(model.weight, before)
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.optim: taking an optimization step](https://docs.pytorch.org/docs/stable/optim.html#taking-an-optimization-step)
    """

    code = "AG321"
    name = "optimizer-without-gradients"
    kinds = frozenset({Pitfall.NO_GRADIENTS})
    message = "this optimizer never gets a gradient: backward only reaches other parameters"
    label = "its parameters get no gradient"
    reason = "`step()` does nothing to parameters without gradients"
    advice = "give the optimizer the parameters of the model that computes the loss"
    events = (
        ("modified", "finds no gradients here"),
        ("built", "{done} here"),
        ("needed", "backward does not use it"),
    )

    def words(self, fault: Fault, place: Place, chunk: Chunk) -> dict[str, str]:
        done = _DONE.get(fault.detail, "its parameters are frozen")
        return {**super().words(fault, place, chunk), "done": done}

    def says(self, fault: Fault) -> str:
        if _is_frozen(fault):
            return "this optimizer never gets a gradient: its parameters are frozen"
        return _SAYS.get(fault.detail) or super().says(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == UNUSED_LOSS:
            return "{tensor} was given to an optimizer, but never gets a gradient"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if _is_frozen(fault) or fault.detail == FROZEN_STEP:
            return "set `requires_grad` again before this network is trained"
        return _ADVICE.get(fault.detail) or super().advises(fault)


def _is_frozen(fault: Fault) -> bool:
    return fault.built is not None and not fault.detail
