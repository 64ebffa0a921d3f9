"""AG404: gradients are clipped when there are none, or when they were used already."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class ClipInVain(SilentRule):
    """Gradients are clipped when there are none, or when they were used already.

    ## What it does

    Finds calls of `clip_grad_norm_` and `clip_grad_value_` after the `step()` that used the
    gradients, or before the backward that computes them.

    ## Why it is bad

    The step is made with gradients of any size: the training that clipping should have kept
    stable is not.

    ## Example

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    for _ in range(3):
        optimizer.zero_grad()
        (100 * w).sum().backward()
        optimizer.step()
        torch.nn.utils.clip_grad_norm_([w], 1.0)
    assert w.item() > -4
    ```

    ## Use instead

    ```python
    import torch

    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    for _ in range(3):
        optimizer.zero_grad()
        (100 * w).sum().backward()
        torch.nn.utils.clip_grad_norm_([w], 1.0)
        optimizer.step()
    assert w.item() > -4
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.nn.utils.clip_grad_norm_](https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html)
    """

    code = "AG404"
    name = "clip-in-vain"
    kinds = frozenset({Pitfall.CLIP_IN_VAIN})
    message = "clipping here has no effect on any step"
    label = "nothing to clip that a step would use"
    reason = "clipping changes `.grad` in place, and only what is there"
    advice = "clip between `backward()` and `step()`"
    events = (
        ("modified", "the gradients were used here"),
        ("needed", "the gradients are computed here"),
    )
