"""AG322: a module has parameters that it does not know of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import HIDDEN, MADE_ANEW, SHARED, Pitfall
from autograd_lint.findings import Fix
from autograd_lint.places import Place
from autograd_lint.rules.mending import unsafe
from autograd_lint.rules.silent import SilentRule

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class UnregisteredParameter(SilentRule):
    """A module has parameters that are not registered.

    ## What it does

    Finds layers and parameters that a module keeps in a plain list or dictionary, layers in the
    body of its class, plain tensors with `requires_grad=True` that are attributes or buffers of a
    module, or in a list of it, and given to no optimizer, and randomly initialized parameters and
    layers that `forward` creates anew in every call.

    ## Why it is bad

    `parameters()`, `state_dict()` and `to()` do not include them: they are not trained, saved or
    moved to another device.

    ## Example

    ```python
    import torch


    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = [torch.nn.Linear(2, 2) for _ in range(2)]

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return x


    assert list(Net().parameters())
    ```

    ## Use instead

    ```python
    import torch


    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList([torch.nn.Linear(2, 2) for _ in range(2)])

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return x


    assert list(Net().parameters())
    ```

    ## Fix safety

    The fix to `nn.ModuleList` and similar containers is unsafe: their contents are then trained,
    saved and moved with the module.

    ## References

    - [torch.nn.Module](https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html)
    """

    code = "AG322"
    name = "unregistered-parameter"
    kinds = frozenset({Pitfall.UNREGISTERED})
    message = "parameters in {tensor} are not registered"
    label = "not registered"
    reason = "a module only registers modules and parameters that are assigned to its attributes"
    advice = "hold them in an `nn.ModuleList`, `nn.ModuleDict` or `nn.ParameterList`"

    def says(self, fault: Fault) -> str:
        if fault.detail == MADE_ANEW:
            return "this layer is made anew in each call: it is never trained"
        if fault.detail == HIDDEN:
            return "the layers in {tensor} are not registered"
        if fault.detail == SHARED:
            return "the layer {tensor} is one of the class, and not registered"
        if fault.operator == "tensor":
            return "{tensor} is not registered as a parameter"
        return super().says(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == MADE_ANEW:
            return "its parameters begin with other values each time, and no optimizer has them"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail in (MADE_ANEW, SHARED):
            return "make it in `__init__`, as an attribute of the module"
        if fault.detail == HIDDEN:
            return "make it an `nn.Module`, or assign its layers to attributes of the module"
        if fault.operator == "tensor":
            return "make it an `nn.Parameter`, so that `parameters()` and `.to()` include it"
        return super().advises(fault)

    def mend(self, fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
        return unsafe("Register it", chunk.mends.register(place)) if not fault.detail else None
