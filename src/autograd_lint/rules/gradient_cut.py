"""AG311: a graph is cut on the only way to what should be trained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import (
    CANCELLED,
    CONVERTED,
    COPIED,
    ONE_ELEMENT,
    SATURATED,
    STRAIGHT_THROUGH,
    WITH_ITSELF,
    ZEROS_IN_SERIES,
    Pitfall,
)
from autograd_lint.findings import Fix
from autograd_lint.places import Place
from autograd_lint.rules.mending import unsafe
from autograd_lint.rules.silent import SilentRule

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk

SAMPLES = frozenset({"normal", "bernoulli", "poisson", "sample"})


class GradientCut(SilentRule):
    """The graph is cut on the only path to a parameter that should be trained.

    ## What it does

    Finds values that are taken out of their graph (`detach()`, `.data`, `item()`, NumPy, a
    comparison, a new `nn.Parameter`) and then used in a loss, where parameters of an optimizer, or
    leaves that the program made with `requires_grad=True`, get a gradient in no other way, and
    parameters that only decide what is computed (`if self.alpha > 0`). An operator whose derivative
    is zero everywhere (`round`, `sign`) also cuts the graph, and so does `hard - soft + soft`
    without `detach()`. So do losses that Lightning's `training_step` or a `Trainer` computes under
    `no_grad()`, and layers that are only used under `no_grad()` or detached.

    Also finds new leaves (`(w - lr * g).detach().requires_grad_()`) that get the gradients of an
    optimizer's parameters, methods of a class of tensors that hand out the plain tensor, and
    modules whose `forward` gives back nothing with a graph. `trace` also finds parameters behind
    units that are dead or saturated for all data.

    ## Why it is bad

    Backward stops at the cut. No error is raised: the parameters behind it are simply never
    trained.

    ## Example

    ```python
    import torch

    first = torch.nn.Linear(2, 2)
    last = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD([*first.parameters(), *last.parameters()], lr=0.1)
    hidden = first(torch.ones(1, 2)).detach()
    last(hidden).sum().backward()
    optimizer.step()
    assert first.weight.grad is not None
    ```

    ## Use instead

    ```python
    import torch

    first = torch.nn.Linear(2, 2)
    last = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD([*first.parameters(), *last.parameters()], lr=0.1)
    hidden = first(torch.ones(1, 2))
    last(hidden).sum().backward()
    optimizer.step()
    assert first.weight.grad is not None
    ```

    ## Fix safety

    The fix removes `.detach()`, `.data` or `.item()`. It is unsafe: if the cut is intended,
    parameters that should not be trained get gradients.

    ## References

    - [torch.Tensor.detach](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html)
    """

    code = "AG311"
    name = "gradient-cut"
    kinds = frozenset(
        {
            Pitfall.GRADIENT_CUT,
            Pitfall.UNRECORDED_LOSS,
            Pitfall.TRAINABLE_IN_VAIN,
            Pitfall.FORWARD_CUT,
        }
    )
    message = "no gradient reaches {tensor}: {operator} cuts its only path to the loss"
    label = "the graph ends here"
    reason = "nothing computed from here on leads back to {tensor}, so it is never trained"
    advice = (
        "use differentiable operators here; if {tensor} should not be trained, do not give it to "
        "the optimizer"
    )
    events = (("built", "the part that is cut off is computed here"),)
    unnamed = "a parameter of the trained model"

    def says(self, fault: Fault) -> str:
        if fault.detail == COPIED:
            return (
                "`torch.tensor` copies this out of the graph: {tensor} gets no gradient through it"
            )
        if fault.detail == CONVERTED:
            return "no gradient gets through {tensor}: {operator} leaves its graph behind"
        if fault.detail == CANCELLED:
            return "the gradient of {tensor} cancels out: this sum adds and subtracts it"
        if fault.detail == WITH_ITSELF:
            return "the gradient of {tensor} cancels out: the other side of this loss holds it too"
        if fault.detail == STRAIGHT_THROUGH:
            return "no gradient gets from here to {tensor}, past the choice by {operator}"
        if fault.detail == ONE_ELEMENT:
            return "{operator} over a single element is constant: {tensor} gets a gradient of zero"
        if fault.detail == SATURATED:
            return "{tensor} gets a gradient of zero: {operator} is flat where all its results are"
        if fault.detail == ZEROS_IN_SERIES:
            return "{tensor} stays zero: it is multiplied by another parameter that is zero"
        return super().says(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == COPIED:
            return "`torch.tensor(x)` of a tensor is `x.detach().clone()`"
        if fault.detail == CONVERTED:
            return "other methods of the class return results with their graph"
        if fault.detail == CANCELLED:
            return "a straight-through estimator takes the difference as a constant"
        if fault.detail == WITH_ITSELF:
            return "the difference of the two sides does not depend on it"
        if fault.detail == STRAIGHT_THROUGH:
            return "a choice has no gradient, so {tensor} is trained by the comparison alone"
        if fault.detail == ONE_ELEMENT:
            return "the exponential of one element is divided by itself, which is one"
        if fault.detail == SATURATED:
            return "what it is given is so large, or so negative, that its slope is zero everywhere"
        if fault.detail == ZEROS_IN_SERIES:
            return "the gradient of each of the two is a product with the other one"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        made = fault.built.operator if fault.built is not None else ""
        if SAMPLES & {fault.operator, made}:
            return (
                "draw the sample so that it has a gradient: `mean + std * torch.randn_like(std)`, "
                "or `rsample()` of a distribution"
            )
        if fault.operator == "no_grad":
            return (
                "compute it where grad mode is on; to keep a network fixed, freeze its parameters"
            )
        if fault.detail == COPIED:
            return "use the tensor itself; if the cut is meant, write `.detach()`"
        if fault.detail == CONVERTED:
            return "return `self.as_subclass(torch.Tensor)`; if a cut is meant, name it so"
        if fault.detail == CANCELLED:
            return "write `(hard - soft).detach() + soft`"
        if fault.detail == WITH_ITSELF:
            return "detach it in the target: `(advantages + values).detach()`"
        if fault.detail == STRAIGHT_THROUGH:
            return "hand the gradient on: `values + (chosen - values).detach()`"
        if fault.detail == ONE_ELEMENT:
            return "take it over all elements, or use a sigmoid"
        if fault.detail == SATURATED:
            return "scale what it is given (normalize the data), or begin with smaller weights"
        if fault.detail == ZEROS_IN_SERIES:
            return "begin with zeros in one of the two alone"
        return super().advises(fault)

    def mend(self, fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
        if fault.detail == CONVERTED:
            return None
        edits = chunk.mends.drop_method(place, "detach", "data", "item")
        return unsafe("Keep it in the graph", edits)
