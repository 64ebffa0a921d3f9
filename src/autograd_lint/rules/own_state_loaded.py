"""AG118: a module is given its own state, under another name."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import (
    CALLED_AS_TARGET,
    KEPT_MODEL,
    OWN_AVERAGE,
    SAME_NAME,
    SHALLOW,
    Pitfall,
)
from autograd_lint.findings import Related
from autograd_lint.rules import wording
from autograd_lint.rules.silent import SilentRule


class OwnStateLoaded(SilentRule):
    """`target = online` makes no second module: the target is the network that is trained.

    ## What it does

    Finds `target.load_state_dict(online.state_dict())` where `target` and `online` are names of the
    same module; and a module that is called under one name without a gradient and under another
    one to be trained, in one step of the training; a target, teacher or old model, by its name,
    that a class or function binds to the network, where it calls both; a moving average of a
    network with itself; a shallow copy (`copy.copy`) that serves as a second module; and a name for
    the best state of what a loop goes on training. Any other second name that one branch of a
    condition gives a module may be meant and is not reported.

    ## Why it is bad

    An assignment copies nothing. Loading a module's state into itself changes nothing, either: a
    target network, a teacher or a snapshot that is kept this way is always equal to the network
    that is trained. No error is raised.

    ## Example

    ```python
    import torch

    online = torch.nn.Linear(1, 1)
    target = online
    optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
    target.load_state_dict(online.state_dict())
    before = target.weight.item()
    online(torch.ones(1, 1)).sum().backward()
    optimizer.step()
    assert target.weight.item() == before
    ```

    ## Use instead

    ```python
    import copy

    import torch

    online = torch.nn.Linear(1, 1)
    target = copy.deepcopy(online)
    optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
    target.load_state_dict(online.state_dict())
    before = target.weight.item()
    online(torch.ones(1, 1)).sum().backward()
    optimizer.step()
    assert target.weight.item() == before
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.nn.Module.load_state_dict](https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.load_state_dict)
    """

    code = "AG118"
    name = "own-state-loaded"
    kinds = frozenset({Pitfall.OWN_STATE})
    message = "{tensor} and {operator} are the same module: no copy is made"
    label = "the same module"
    reason = "an assignment gives the module a second name, and its own state changes nothing in it"
    advice = "make a copy: `copy.deepcopy(module)`, or build a second module"
    events = (("needed", "given its own state here"),)

    def says(self, fault: Fault) -> str:
        if fault.detail == SHALLOW:
            return "{tensor} shares its parameters with {operator}: the copy is shallow"
        if fault.detail == SAME_NAME:
            return "{tensor} loads its own state: nothing changes"
        if fault.detail == OWN_AVERAGE:
            return "this average blends {tensor} with itself: both networks are the same module"
        return super().says(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == SHALLOW:
            return "`copy.copy` makes a second module that holds the same parameters"
        if fault.detail == OWN_AVERAGE:
            return "an assignment gives the module a second name, so the average follows nothing"
        if fault.detail == CALLED_AS_TARGET:
            return "an assignment gives the module a second name: the target moves with each step"
        if fault.detail == SAME_NAME:
            return "the state comes from the module that loads it, and others are trained here"
        if fault.detail == KEPT_MODEL:
            return "an assignment gives the module a second name, and the loop goes on training it"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == SAME_NAME:
            return "load the state of the module that is trained"
        return super().advises(fault)

    def _related(self, fault: Fault, words: dict[str, str]) -> list[Related | None]:
        if fault.detail == CALLED_AS_TARGET:
            return [wording.needed(fault.needed, "called as a target here")]
        if fault.detail == OWN_AVERAGE:
            return [wording.needed(fault.needed, "written here")]
        return super()._related(fault, words)
