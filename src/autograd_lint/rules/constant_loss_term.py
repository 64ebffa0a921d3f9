"""AG312: a term of a loss has no gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import (
    DETACHED_BEFORE,
    OF_ANOTHER,
    OWN_VALUE,
    STRAIGHT,
    UNRECORDED,
    Pitfall,
)
from autograd_lint.findings import Fix
from autograd_lint.places import Place
from autograd_lint.rules.mending import unsafe
from autograd_lint.rules.silent import SilentRule

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


MODES = frozenset({"no_grad", "inference_mode", "set_grad_enabled"})


def _is_mode(fault: Fault) -> bool:
    """Whether a grad mode ends the graph of the term."""
    return fault.operator.rpartition(".")[2] in MODES


class ConstantLossTerm(SilentRule):
    """A term of a loss has no gradient.

    ## What it does

    Finds terms that are added to a loss but contribute no gradient, because their graph is cut by
    `item()`, `float()`, `math`, `.data`, NumPy, a comparison, or an operator whose derivative is
    zero everywhere (`round`, `sign`). A loss function both of whose inputs are detached, or were
    computed under `no_grad()`, is such a term as well, and so is one that is itself computed under
    `no_grad()` of what the loss differentiates elsewhere, or that another function, like the
    `forward` of the module, has detached before it is added. While a program runs, `trace` also
    finds terms that compare a parameter with itself, and terms that for a `detach()` only reach the
    parameters of another optimizer, which drops their gradients. It finds second derivatives that
    are zero everywhere, for a network consists of straight lines (`ReLU`).

    ## Why it is bad

    The term is part of the printed loss, but not of the gradient: it penalises nothing.

    ## Example

    ```python
    import torch

    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    loss = w.sum() + w.data.pow(2).sum()
    loss.backward()
    optimizer.step()
    assert w.grad.eq(3).all()
    ```

    ## Use instead

    ```python
    import torch

    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    loss = w.sum() + w.pow(2).sum()
    loss.backward()
    optimizer.step()
    assert w.grad.eq(3).all()
    ```

    ## Fix safety

    The fix removes `.detach()`, `.data` or `.item()`. It is unsafe: if the cut is intended,
    parameters that should not be trained get gradients.

    ## References

    - [torch.Tensor.item](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.item.html)
    """

    code = "AG312"
    name = "constant-loss-term"
    kinds = frozenset({Pitfall.CONSTANT_TERM})
    message = "this term of the loss has no gradient: {operator} makes it a constant"
    label = "a constant for backward"
    reason = "a constant changes the value of the loss, but not its gradient"
    advice = "compute the term with differentiable operators, or remove it from the loss"
    events = (
        ("built", "the graph was built here"),
        ("needed", "backward begins here"),
    )

    def says(self, fault: Fault) -> str:
        if fault.detail == STRAIGHT:
            return "this second derivative is zero everywhere: {operator} is made of straight lines"
        if fault.detail == OWN_VALUE:
            return "this term of the loss is always zero: {tensor} is compared with itself"
        if fault.detail == OF_ANOTHER:
            return "a term of the loss trains nothing: {operator} leaves only another's parameters"
        if fault.detail == UNRECORDED:
            return "a term of the loss has no gradient: it is computed here, with grad mode off"
        if _is_mode(fault):
            return "a term of the loss has no gradient: both of its inputs are computed here"
        return super().says(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == STRAIGHT:
            return "the slope of a straight line does not change"
        if fault.detail == OWN_VALUE:
            return "what it is to stay near lies in its own memory, and moves with each step"
        if fault.detail == OF_ANOTHER:
            return "the optimizer that has these clears their gradients before it steps"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == STRAIGHT:
            return "use a smooth activation, such as `Tanh`, `Softplus` or `SiLU`"
        if fault.detail == OWN_VALUE:
            return "keep a copy of the values: `parameter.detach().clone()`"
        if fault.detail == OF_ANOTHER:
            return "leave the graph on for the loss of what is detached here"
        if fault.detail == UNRECORDED:
            return "compute only what is not trained in here, and the loss itself outside"
        if _is_mode(fault):
            return (
                "compute the prediction with grad mode on; to keep a network fixed, set "
                "`requires_grad_(False)` on its parameters instead"
            )
        if fault.detail == DETACHED_BEFORE:
            return "keep the graph here, and detach where only the value is wanted"
        if fault.operator == "state_dict":
            return "use the parameters themselves: what `state_dict()` gives is detached"
        if fault.operator == "detach":
            return "detach only the side of the comparison that is the target"
        return super().advises(fault)

    def labels(self, fault: Fault) -> str:
        if fault.detail == STRAIGHT:
            return "nothing but zeros"
        return super().labels(fault)

    def mend(self, fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
        edits = chunk.mends.drop_methods(place, "detach", "data", "item")
        return unsafe("Keep it in the graph", edits)
