"""AG115: a state that is loaded back was not kept."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class StateOverwritten(SilentRule):
    """A saved `state_dict()` is not a copy: it changes while the module is trained.

    ## What it does

    Finds a `state_dict()` that is kept while the module is trained further, and then loaded back
    with `load_state_dict`.

    ## Why it is bad

    `state_dict()` does not copy: its tensors share memory with the parameters, which optimizers
    modify in place. Loading it back changes nothing, so the best epoch, or the state before a
    trial, is lost. No error is raised.

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
        ("needed", "loaded back here"),
    )
