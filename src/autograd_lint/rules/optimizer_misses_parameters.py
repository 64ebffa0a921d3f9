"""AG324: a layer is added or replaced after the optimizer was built."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import WHOLE_MODEL, Pitfall
from autograd_lint.rules.silent import SilentRule


class OptimizerMissesParameters(SilentRule):
    """A layer is added or replaced after the optimizer was created.

    ## What it does

    Finds modules that get a new layer or parameter after their parameters were given to an
    optimizer, where no optimizer ever gets the new ones.

    ## Why it is bad

    The new parameters get gradients but are never updated; the optimizer keeps the old ones.

    ## Example

    ```python
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model[1] = torch.nn.Linear(2, 1)
    before = model[1].weight.clone()
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    assert not torch.equal(model[1].weight, before)
    ```

    ## Use instead

    ```python
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
    model[1] = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = model[1].weight.clone()
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    assert not torch.equal(model[1].weight, before)
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.optim: constructing it](https://docs.pytorch.org/docs/stable/optim.html#constructing-it)
    """

    code = "AG324"
    name = "optimizer-misses-parameters"
    kinds = frozenset({Pitfall.NOT_OPTIMIZED})
    message = "{code} was set after the optimizer was created: no optimizer trains it"
    label = "set after the optimizer was created"
    reason = "an optimizer only updates the parameters it was given when it was created"
    advice = "create the optimizer after this, or call `add_param_group`"
    events = (("built", "the optimizer is created here"),)

    def says(self, fault: Fault) -> str:
        if fault.detail == WHOLE_MODEL:
            return "the optimizer keeps the parameters of the module that {tensor} was before"
        return super().says(fault)
