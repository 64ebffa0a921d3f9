"""AG432: a test for the name of a parameter is never true."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import EMPTY_GROUP, LOADS_NOTHING, Pitfall
from autograd_lint.rules.silent import SilentRule


class NameNeverMatches(SilentRule):
    """A test for the name of a parameter is never true.

    ## What it does

    Finds loops over `named_parameters()` that look for the whole name in a list of last parts
    (`name in ["bias", "LayerNorm.weight"]`), or freeze parameters by the name of a module
    (`if name != "fc"`). `trace` also finds optimizers whose group without weight decay is empty,
    while biases are decayed, and states of which `load_state_dict(state, strict=False)` loads
    nothing, for all their names have a prefix too much or lack one (`module.fc.weight`).

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
        if fault.detail == LOADS_NOTHING:
            return "nothing of this state is loaded: its names differ by the prefix {tensor}"
        return super().says(fault)

    def labels(self, fault: Fault) -> str:
        if fault.detail == LOADS_NOTHING:
            return "keeps all values as they are"
        return "a group has no parameters" if fault.detail == EMPTY_GROUP else super().labels(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == LOADS_NOTHING:
            return "`strict=False` passes over names that do not match, all of them here"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == LOADS_NOTHING:
            return "change the names, and look at `missing_keys` of what `load_state_dict` returns"
        return super().advises(fault)
