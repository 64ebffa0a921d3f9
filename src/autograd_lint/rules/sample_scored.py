"""AG344: a policy gradient also goes through the sample."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class SampleScored(SilentRule):
    """A policy gradient also goes through the sample.

    ## What it does

    Finds losses of the form `log_prob(action) * weight`, with a weight that has no gradient, where
    `action` comes from `rsample()` of the same distribution and is used for nothing else in the
    loss.

    ## Why it is bad

    The score function `log_prob(action) * weight` needs the action as a constant. A sample of
    `rsample()` moves with the parameters, so its own gradient is added; for the mean of a normal
    distribution the two cancel out, and the policy does not learn from its rewards.

    ## Example

    ```python
    import torch
    from torch.distributions import Normal

    mean = torch.zeros(1, requires_grad=True)
    normal = Normal(mean, 1.0)
    action = normal.rsample()
    reward = torch.tensor([2.0])
    (-normal.log_prob(action) * reward).sum().backward()
    assert mean.grad.abs().sum() > 0
    ```

    ## Use instead

    ```python
    import torch
    from torch.distributions import Normal

    mean = torch.zeros(1, requires_grad=True)
    normal = Normal(mean, 1.0)
    action = normal.sample()
    reward = torch.tensor([2.0])
    (-normal.log_prob(action) * reward).sum().backward()
    assert mean.grad.abs().sum() > 0
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.distributions: score function and pathwise derivative](https://docs.pytorch.org/docs/stable/distributions.html#score-function)
    """

    code = "AG344"
    name = "sample-scored"
    kinds = frozenset({Pitfall.SAMPLE_SCORED})
    message = "the policy gradient also goes through the sample {tensor}"
    label = "moves with the parameters of its distribution"
    reason = "a weighed log probability needs its sample as a constant"
    advice = "use `sample()`, or `.detach()` the action"
    events = (("built", "scored here"), ("needed", "backward goes through the sample here"))
