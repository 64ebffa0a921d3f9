"""AG121: the update of a copy does not use its rate."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class RateIgnored(SilentRule):
    """The update of a target network does not use its rate.

    ## What it does

    Finds functions that write the weights of a trained network to a copy, and are given a number
    between 0 and 1 that their code never reads.

    ## Why it is bad

    The copy follows at another rate than the program says. Where it is overwritten altogether, the
    target is the network that is trained, and moves with each step.

    ## Example

    ```python
    import copy

    import torch


    def soft_update(online, target, tau):
        for p, t in zip(online.parameters(), target.parameters()):
            t.data.copy_(p.data)


    online = torch.nn.Linear(1, 1)
    target = copy.deepcopy(online)
    optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
    online(torch.ones(1, 1)).sum().backward()
    optimizer.step()
    soft_update(online, target, tau=0.01)
    assert not torch.equal(target.weight, online.weight)
    ```

    ## Use instead

    ```python
    import copy

    import torch


    def soft_update(online, target, tau):
        for p, t in zip(online.parameters(), target.parameters()):
            t.data.copy_(tau * p.data + (1 - tau) * t.data)


    online = torch.nn.Linear(1, 1)
    target = copy.deepcopy(online)
    optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
    online(torch.ones(1, 1)).sum().backward()
    optimizer.step()
    soft_update(online, target, tau=0.01)
    assert not torch.equal(target.weight, online.weight)
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.optim.swa_utils: weight averaging](https://docs.pytorch.org/docs/stable/optim.html#weight-averaging-swa-and-ema)
    """

    code = "AG121"
    name = "rate-ignored"
    kinds = frozenset({Pitfall.RATE_IGNORED})
    message = "this update does not use {tensor}, the rate that it is given"
    label = "written at another rate"
    reason = "a parameter that the code never reads changes nothing"
    advice = "blend the two: `t.copy_(tau * p + (1 - tau) * t)`"
    events = (("needed", "called here"),)
