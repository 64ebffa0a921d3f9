"""AG115: a state that is loaded back, or saved, was not kept."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import (
    KEPT_ONLY,
    LENT,
    SEVERAL,
    UNDONE,
    WRITTEN_TO_FILE,
    Pitfall,
)
from autograd_lint.rules.silent import SilentRule


class StateOverwritten(SilentRule):
    """A saved `state_dict()` is not a copy: it changes while the module is trained.

    ## What it does

    Finds a `state_dict()` that is kept while the module is trained further, and then loaded back
    with `load_state_dict`, or written to a file when the training is over. So is one that the best
    epoch of a loop keeps and the function returns, and one that an object keeps that stops early.
    `trace` also finds a state that is written in place (an average over clients) and loaded into
    another module, while the module that has it is trained on, and observations that are stacked
    and are one array of NumPy, which was overwritten in between. It finds weights that are put back
    from arrays of NumPy in their own memory, and steps that are undone: a weight gets back what it
    held before, and nothing has computed with what the step has made of it.

    ## Why it is bad

    `state_dict()` does not copy: its tensors share memory with the parameters, which optimizers
    modify in place. Loading it back changes nothing, and a file gets the last state, so the best
    epoch, or the state before a trial, is lost. No error is raised.

    ## Example

    ```python
    import torch

    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = model.weight.item()
    best = model.state_dict()
    model(torch.ones(1, 1)).sum().backward()
    optimizer.step()
    model.load_state_dict(best)
    assert model.weight.item() == before
    ```

    ## Use instead

    ```python
    import copy

    import torch

    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = model.weight.item()
    best = copy.deepcopy(model.state_dict())
    model(torch.ones(1, 1)).sum().backward()
    optimizer.step()
    model.load_state_dict(best)
    assert model.weight.item() == before
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.nn.Module.state_dict](https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.state_dict)
    """

    code = "AG115"
    name = "state-overwritten"
    kinds = frozenset({Pitfall.STATE_OVERWRITTEN})
    message = "this saved state has changed with the module when it is loaded back"
    label = "stored here without a copy"
    reason = "`state_dict()` returns the module's own tensors, not copies"
    advice = "keep a copy: `copy.deepcopy(module.state_dict())`"
    events = (
        ("modified", "overwritten here"),
        ("needed", "used here"),
    )

    def says(self, fault: Fault) -> str:
        if fault.detail == UNDONE:
            return "the step is undone: {tensor} gets back here what it held before"
        if fault.detail == WRITTEN_TO_FILE:
            return "this saved state has changed with the module when a file gets it"
        if fault.detail == KEPT_ONLY:
            return "this saved state of {operator} changes while the module is trained on"
        if fault.detail == LENT:
            return "writing to this state also changes the module that has it and is trained on"
        if fault.detail == SEVERAL:
            return "what is kept here is one memory each time: all of it holds the latest values"
        return self.message

    def explains(self, fault: Fault) -> str:
        if fault.detail == UNDONE:
            return "what the step has made of it was not used by then"
        if fault.detail == SEVERAL:
            return "`.data`, `detach()` and `from_numpy()` share the memory that is overwritten"
        return super().explains(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == UNDONE:
            return "put the weights back before the step, or keep what it makes of them"
        if fault.detail == SEVERAL:
            return "keep copies: `.clone()`, or `torch.tensor(array)`"
        return super().advises(fault)

    def labels(self, fault: Fault) -> str:
        if fault.detail == UNDONE:
            return "holds what it held before the step"
        return super().labels(fault)
