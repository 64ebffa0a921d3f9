"""AG351: no gradient goes through a sample to what it was drawn from."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import CUT_SAMPLE, Pitfall
from autograd_lint.rules.silent import SilentRule

DISCRETE = {"bernoulli", "poisson"}  # without a reparametrization


class SampleWithoutGradient(SilentRule):
    """A loss is computed with a sample through which no gradient goes.

    ## What it does

    Finds samples of `torch.normal(mean, std)`, `torch.bernoulli`, `torch.poisson` and of
    `sample()` of a distribution with a density that a loss computes with, where the parameters of
    the distribution get a gradient from another term of that loss, and nothing scores the sample
    by its log probability. The same of samples that are drawn with a gradient (`rsample()`, or
    `mean + std * torch.randn_like(std)`) and only used behind `detach()`. `trace` also reports a
    term of a loss that a layer has made of a sample (the value of an action) and that has no
    gradient by that.

    ## Why it is bad

    Drawing has no derivative. A variational autoencoder that draws its code this way trains its
    encoder by the divergence alone: whether the code is good for the reconstruction does not
    matter to it.

    ## Example

    ```python
    import torch

    encoder, decoder = torch.nn.Linear(2, 1), torch.nn.Linear(1, 2)
    x = torch.ones(3, 2)
    mean = encoder(x)
    code = torch.normal(mean, torch.ones_like(mean))
    reconstruction = (decoder(code) - x).pow(2).sum()
    (reconstruction + 0.0 * mean.pow(2).sum()).backward()
    assert encoder.weight.grad.abs().sum() > 0
    ```

    ## Use instead

    ```python
    import torch

    encoder, decoder = torch.nn.Linear(2, 1), torch.nn.Linear(1, 2)
    x = torch.ones(3, 2)
    mean = encoder(x)
    code = mean + torch.randn_like(mean)
    reconstruction = (decoder(code) - x).pow(2).sum()
    (reconstruction + 0.0 * mean.pow(2).sum()).backward()
    assert encoder.weight.grad.abs().sum() > 0
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.distributions: pathwise derivative](https://docs.pytorch.org/docs/stable/distributions.html#pathwise-derivative)
    """

    code = "AG351"
    name = "sample-without-gradient"
    kinds = frozenset({Pitfall.SAMPLE_WITHOUT_GRADIENT})
    message = "no gradient goes through this sample of {operator} to what it was drawn from"
    message_of_cut = "{operator} cuts this sample off from the parameters that it was drawn from"
    label = "drawn without a derivative"
    reason = "the loss that is computed with the sample does not change its distribution"
    advice = (
        "draw it so that it has a gradient: `mean + std * torch.randn_like(std)`, or `rsample()` "
        "of a distribution"
    )
    events = (
        ("built", "the parameters are computed here"),
        ("needed", "backward gets to them without the sample"),
    )

    def says(self, fault: Fault) -> str:
        if fault.detail == CUT_SAMPLE:
            return self.message_of_cut
        return super().says(fault)

    def labels(self, fault: Fault) -> str:
        return "cut off here" if fault.detail == CUT_SAMPLE else super().labels(fault)

    def advises(self, fault: Fault) -> str:
        if fault.detail == CUT_SAMPLE:
            return "use the sample itself, or draw it under `no_grad()` if it is a constant"
        if fault.operator in DISCRETE:
            return (
                "use a relaxation with a gradient (`gumbel_softmax`, `RelaxedBernoulli`), a "
                "straight-through estimate, or score the sample by its log probability"
            )
        return super().advises(fault)
