"""AG439: a ratio of probabilities is always one, as both are of the same policy."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class RatioAlwaysOne(SilentRule):
    """A ratio of probabilities is always one: both are computed with the same parameters.

    ## What it does

    Finds differences of two log probabilities that are the same number step after step: both are
    computed of the same actions, in the same way, with the parameters as they are by then.

    ## Why it is bad

    The old probability is to be the one with which the actions were drawn. Where it is computed
    anew in each epoch, the ratio of the new to the old one is one however far the policy has moved:
    a clipped objective (PPO) never clips, and importance sampling corrects nothing. Nothing is
    raised.

    ## Example

    ```python
    import torch

    mean = torch.zeros(4, requires_grad=True)
    action = torch.ones(4)
    optimizer = torch.optim.SGD([mean], lr=0.1)
    ratios = []
    for epoch in range(3):
        new = torch.distributions.Normal(mean, 1.0).log_prob(action)
        with torch.no_grad():
            old = torch.distributions.Normal(mean, 1.0).log_prob(action)
        ratio = torch.exp(new - old)
        optimizer.zero_grad()
        (-ratio.mean()).backward()
        optimizer.step()
        ratios.append(ratio.mean().item())
    assert ratios[-1] != 1
    ```

    ## Use instead

    ```python
    import torch

    mean = torch.zeros(4, requires_grad=True)
    action = torch.ones(4)
    optimizer = torch.optim.SGD([mean], lr=0.1)
    ratios = []
    with torch.no_grad():
        old = torch.distributions.Normal(mean, 1.0).log_prob(action)
    for epoch in range(3):
        new = torch.distributions.Normal(mean, 1.0).log_prob(action)
        ratio = torch.exp(new - old)
        optimizer.zero_grad()
        (-ratio.mean()).backward()
        optimizer.step()
        ratios.append(ratio.mean().item())
    assert ratios[-1] != 1
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Proximal Policy Optimization Algorithms](https://arxiv.org/abs/1707.06347)
    """

    code = "AG439"
    name = "ratio-always-one"
    kinds = frozenset({Pitfall.CONSTANT_RATIO})
    message = "both log probabilities are of the same policy: this difference is always zero"
    label = "the same number twice, after each step"
    reason = "the old probability is computed anew with the parameters that the steps have changed"
    advice = "keep the log probability with which the actions were drawn, before the first step"
