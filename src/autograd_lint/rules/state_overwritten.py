"""AG115: a state that is loaded back was not kept."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class StateOverwritten(SilentRule):
    """A `state_dict()` that is loaded back was not copied: it has changed with the module.

    ## What it does

    Finds `state_dict()` of a module that is trained further, and then gets this very state back by
    `load_state_dict`.

    ## Why it is bad

    `state_dict()` copies nothing: its tensors lie on the memory of the parameters, which
    optimizers write in place. What is loaded back is what the parameters hold anyway, so the
    best epoch, or the state before a trial, is lost. Nothing raises.

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
    message = "this saved state changes with the module before it is loaded back"
    label = "kept here, but not copied"
    reason = "`state_dict()` returns the module's own tensors, not copies"
    advice = "keep a copy: `copy.deepcopy(module.state_dict())`"
    events = (
        ("modified", "overwritten here"),
        ("needed", "loaded back here"),
    )
