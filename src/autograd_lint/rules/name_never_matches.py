"""AG432: a test for the name of a parameter is never true."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import EMPTY_GROUP, Pitfall
from autograd_lint.rules.silent import SilentRule


class NameNeverMatches(SilentRule):
    """A test for the name of a parameter is never true.

    ## What it does

    Finds loops over `named_parameters()` that look for the whole name in a list of last parts
    (`name in ["bias", "LayerNorm.weight"]`), or freeze parameters by the name of a module
    (`if name != "fc"`). `trace` also finds optimizers whose group without weight decay is empty,
    while biases are decayed.

    ## Why it is bad

    The name of a parameter begins with the names of the modules that it is in
    (`encoder.layer.0.bias`). The test selects nothing: what was to be frozen is trained, what was
    to have no weight decay decays. No error is raised.

    ## Example

    ```python
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    for name, parameter in model.named_parameters():
        if name != "1":
            parameter.requires_grad = False
    assert model[1].weight.requires_grad
    ```

    ## Use instead

    ```python
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    for name, parameter in model.named_parameters():
        if not name.startswith("1."):
            parameter.requires_grad = False
    assert model[1].weight.requires_grad
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [named_parameters](https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.named_parameters)
    """

    code = "AG432"
    name = "name-never-matches"
    kinds = frozenset({Pitfall.NAME_NEVER_MATCHES})
    message = "{tensor} is the same for all parameters of a network with layers"
    label = "compares the whole name"
    reason = "the name of a parameter begins with those of its modules: `encoder.layer.0.bias`"
    advice = "look for a part of the name: `any(part in name for part in ...)`, `endswith`"

    def says(self, fault: Fault) -> str:
        if fault.detail == EMPTY_GROUP:
            return "the group without weight decay is empty, and biases are decayed"
        return super().says(fault)

    def labels(self, fault: Fault) -> str:
        return "a group has no parameters" if fault.detail == EMPTY_GROUP else super().labels(fault)
