"""AG337: what was added to a model is frozen together with what was there."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import (
    ZEROS_FROZEN,
    Pitfall,
)
from autograd_lint.rules.silent import SilentRule


class AdapterFrozen(SilentRule):
    """New parameters that were added to a model are frozen together with those that it had.

    ## What it does

    Finds modules that take the place of a layer which they hold (adapters such as LoRA), whose own
    parameters are frozen by the line that freezes those of the layer, and stay frozen in training.
    Also finds new layers that take the place of others and are frozen with the rest of the model,
    though an optimizer has them, where other parameters are trained. `trace` also finds factors of
    zeros that a choice by name (`p.requires_grad_("lora_" in name)`) leaves frozen to the end.

    ## Why it is bad

    `model.parameters()` has the parameters of the adapters as well. Only what was unfrozen later is
    trained; what was added stays as it was initialized, and nothing is raised.

    ## Example

    ```python
    import torch
    from torch import nn


    class Adapter(nn.Module):
        def __init__(self, layer):
            super().__init__()
            self.layer, self.scale = layer, nn.Parameter(torch.ones(1))

        def forward(self, x):
            return self.layer(x) * self.scale


    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    model[0] = Adapter(model[0])
    for p in model[0].parameters():
        p.requires_grad = False
    model(torch.ones(1, 2)).sum().backward()
    assert model[0].scale.grad is not None
    ```

    ## Use instead

    ```python
    import torch
    from torch import nn


    class Adapter(nn.Module):
        def __init__(self, layer):
            super().__init__()
            self.layer, self.scale = layer, nn.Parameter(torch.ones(1))

        def forward(self, x):
            return self.layer(x) * self.scale


    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    for p in model[0].parameters():
        p.requires_grad = False
    model[0] = Adapter(model[0])
    model(torch.ones(1, 2)).sum().backward()
    assert model[0].scale.grad is not None
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.nn.Module.requires_grad_](https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.requires_grad_)
    """

    code = "AG337"
    name = "adapter-frozen"
    kinds = frozenset({Pitfall.ADAPTER_FROZEN})
    message = "this also freezes the parameters of {tensor}, which were added before"
    label = "freezes them"
    reason = "`parameters()` has those of every part that the module has by now"
    advice = "freeze the model before they are added, or unfreeze them again"
    events = (("built", "added here"),)

    def says(self, fault: Fault) -> str:
        if fault.detail == ZEROS_FROZEN:
            return "this leaves {tensor} frozen, and zero: a product with it stays zero"
        return super().says(fault)

    def labels(self, fault: Fault) -> str:
        if fault.detail == ZEROS_FROZEN:
            return "freezes it"
        return super().labels(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == ZEROS_FROZEN:
            return "a factor of zeros that is never trained adds nothing"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == ZEROS_FROZEN:
            return "compare the names that are chosen with those of `named_parameters()`"
        return super().advises(fault)
