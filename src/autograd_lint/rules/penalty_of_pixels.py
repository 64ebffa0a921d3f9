"""AG353: a gradient penalty takes the norm over the channels of an image alone."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class PenaltyOfPixels(SilentRule):
    """A gradient penalty takes the norm over the channels of an image alone.

    ## What it does

    Finds gradients of `autograd.grad(..., create_graph=True)` whose norm is taken over one
    dimension, in a function that draws a number for each image (`torch.rand(n, 1, 1, 1)`).

    ## Why it is bad

    The penalty of a critic wants the norm of the whole gradient of each sample to be one. Over the
    channels alone it is the norm at each pixel that is drawn to one, and the norm of the whole
    becomes the root of the number of pixels. Nothing is raised.

    ## Example

    ```python
    import torch


    def distance(critic, real, made):
        share = torch.rand(real.size(0), 1, 1, 1)
        between = (share * real + (1 - share) * made).requires_grad_()
        scores = critic(between).sum()
        gradient = torch.autograd.grad(scores, between, create_graph=True)[0]
        return gradient.norm(2, dim=1) - 1


    images = torch.randn(2, 3, 4, 4)
    found = distance(torch.nn.Conv2d(3, 1, 4), images, -images)
    assert found.shape == (2,)
    ```

    ## Use instead

    ```python
    import torch


    def distance(critic, real, made):
        share = torch.rand(real.size(0), 1, 1, 1)
        between = (share * real + (1 - share) * made).requires_grad_()
        scores = critic(between).sum()
        gradient = torch.autograd.grad(scores, between, create_graph=True)[0]
        return gradient.flatten(1).norm(2, dim=1) - 1


    images = torch.randn(2, 3, 4, 4)
    found = distance(torch.nn.Conv2d(3, 1, 4), images, -images)
    assert found.shape == (2,)
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Improved Training of Wasserstein GANs](https://arxiv.org/abs/1704.00028)
    """

    code = "AG353"
    name = "penalty-of-pixels"
    kinds = frozenset({Pitfall.PIXEL_NORM})
    message = "this norm is one of each pixel, not of the gradient of each image"
    label = "goes over the channels alone"
    reason = "the norm of the gradient of a sample goes over all dimensions but the first"
    advice = "flatten the gradient before: `gradient.flatten(1).norm(2, dim=1)`"
    events = (("built", "the gradient of images"),)
