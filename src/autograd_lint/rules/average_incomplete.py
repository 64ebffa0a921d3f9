"""AG120: a moving average leaves out a part of the network."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import BUFFERS_LEFT_OUT, Pitfall
from autograd_lint.rules.silent import SilentRule


class AverageIncomplete(SilentRule):
    """A moving average of a network leaves out a part of it.

    ## What it does

    Finds copies of trained modules that are used to compute a target, while only a part of them, or
    only what they are computed from, is updated as a moving average. Also finds averages with batch
    normalization that are called in evaluation mode, where nothing in the file copies buffers.

    ## Why it is bad

    The part that is left out keeps its first values: an average of an encoder below a head that has
    never been trained computes nothing of use. Running statistics are buffers, which `parameters()`
    does not give.

    ## Example

    ```python
    import copy

    import torch

    model = torch.nn.Sequential(torch.nn.Linear(1, 2), torch.nn.Linear(2, 1))
    target = copy.deepcopy(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = target[1].bias.item()
    for x in torch.ones(3, 1, 1):
        with torch.no_grad():
            wanted = 1 + target(x)
        optimizer.zero_grad()
        (model(x) - wanted).square().sum().backward()
        optimizer.step()
        with torch.no_grad():
            for p, e in zip(model[0].parameters(), target[0].parameters()):
                e.mul_(0.9).add_(p, alpha=0.1)
    assert target[1].bias.item() != before
    ```

    ## Use instead

    ```python
    import copy

    import torch

    model = torch.nn.Sequential(torch.nn.Linear(1, 2), torch.nn.Linear(2, 1))
    target = copy.deepcopy(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = target[1].bias.item()
    for x in torch.ones(3, 1, 1):
        with torch.no_grad():
            wanted = 1 + target(x)
        optimizer.zero_grad()
        (model(x) - wanted).square().sum().backward()
        optimizer.step()
        with torch.no_grad():
            for p, e in zip(model.parameters(), target.parameters()):
                e.mul_(0.9).add_(p, alpha=0.1)
    assert target[1].bias.item() != before
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.optim.swa_utils: weight averaging](https://docs.pytorch.org/docs/stable/optim.html#weight-averaging-swa-and-ema)
    """

    code = "AG120"
    name = "average-incomplete"
    kinds = frozenset({Pitfall.AVERAGE_INCOMPLETE})
    message = "this average leaves out {tensor} of a module that computes a target"
    label = "brings only a part along"
    reason = "what no update writes keeps its first values"
    advice = "update all copies that the target is computed with"
    events = (("needed", "the part that is left out is used here"),)
    unnamed = "a parameter"

    def says(self, fault: Fault) -> str:
        if fault.detail == BUFFERS_LEFT_OUT:
            return "this average leaves out buffers, and normalizes by statistics of the beginning"
        return super().says(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == BUFFERS_LEFT_OUT:
            return "copy `buffers()` as well, or use `AveragedModel(..., use_buffers=True)`"
        return super().advises(fault)
