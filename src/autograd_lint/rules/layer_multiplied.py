"""AG339: a list of layers holds one module several times."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import DEFAULT, ONE_TENSOR, Pitfall
from autograd_lint.rules.silent import SilentRule


class LayerMultiplied(SilentRule):
    """A list of layers holds one module several times.

    ## What it does

    Finds containers of modules that are made of a multiplied list, as in
    `nn.ModuleList([layer] * 3)`, of `dict.fromkeys(names, layer)`, or of a comprehension like
    `[layer for _ in range(3)]` whose layers are called one behind the other, where the module has
    parameters. Also finds modules with parameters that are the default of an argument, as in
    `def __init__(self, act=nn.PReLU())`, where several modules keep it. `trace` also finds
    multiplied lists of a tensor, one element of which is written in place.

    ## Why it is bad

    Multiplying a list copies references, and a default is made once, where the method is defined.
    All elements are the same module: there is one set of
    parameters, each call uses it, and its gradient is the sum over all calls. The model is as deep
    as it looks, but has a fraction of the parameters. No error is raised.

    ## Example

    ```python
    import torch
    from torch import nn

    layers = nn.ModuleList([nn.Linear(4, 4)] * 3)
    x = torch.ones(2, 4)
    for layer in layers:
        x = layer(x)
    x.sum().backward()
    assert len(list(layers.parameters())) == 6
    ```

    ## Use instead

    ```python
    import torch
    from torch import nn

    layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
    x = torch.ones(2, 4)
    for layer in layers:
        x = layer(x)
    x.sum().backward()
    assert len(list(layers.parameters())) == 6
    ```

    ## Fix safety

    There is no automatic fix. Where the layers are meant to share their parameters, a loop over one
    layer says so.

    ## References

    - [torch.nn.ModuleList](https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html)
    - [Sequence types](https://docs.python.org/3/library/stdtypes.html#common-sequence-operations)
    """

    code = "AG339"
    name = "layer-multiplied"
    kinds = frozenset({Pitfall.LAYER_MULTIPLIED})
    message = "{code} holds one module several times, with one set of parameters"
    label = "references to one module"
    reason = "these are references to one module: the gradient of {tensor} is a sum"
    advice = "make each layer: `[Layer(...) for _ in range(n)]`, or `copy.deepcopy(layer)`"
    events = (("modified", "written here"),)
    unnamed = "each parameter"

    def says(self, fault: Fault) -> str:
        if fault.detail == ONE_TENSOR:
            return "{code} holds one tensor several times: a write to one element changes all"
        if fault.detail == DEFAULT:
            return "{code} is one module, which all objects with this default share"
        return super().says(fault)

    def labels(self, fault: Fault) -> str:
        if fault.detail == ONE_TENSOR:
            return "references to one tensor"
        return "made once" if fault.detail == DEFAULT else super().labels(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == ONE_TENSOR:
            return "a list that is multiplied repeats references, and copies nothing"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == ONE_TENSOR:
            return "make each tensor: `[torch.zeros(n) for _ in range(m)]`"
        if fault.detail == DEFAULT:
            return "let the default be None, and make the module in the method"
        return super().advises(fault)
