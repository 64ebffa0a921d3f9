"""AG437: an autocast region around a training loop."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class AutocastAroundSteps(SilentRule):
    """An autocast region around a training loop computes with outdated weights.

    ## What it does

    Finds `with torch.autocast(...)` around a loop in which an optimizer steps. Where casts are not
    kept (`cache_enabled=False`, `clear_autocast_cache()`) nothing is told.

    ## Why it is bad

    Autocast casts each weight to the lower precision once, and keeps the result until the outermost
    region is left. From the second iteration on the forward uses the weights of the first one: the
    loss stands still, and gradients are those of weights that are no more. Nothing is raised.

    ## Example

    ```python
    import torch

    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    losses = set()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        for _ in range(3):
            loss = model(torch.ones(1, 2)).pow(2).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.add(loss.item())
    assert len(losses) > 1
    ```

    ## Use instead

    ```python
    import torch

    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    losses = set()
    for _ in range(3):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(torch.ones(1, 2)).pow(2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.add(loss.item())
    assert len(losses) > 1
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.autocast](https://docs.pytorch.org/docs/stable/amp.html#torch.autocast)
    """

    code = "AG437"
    name = "autocast-around-steps"
    kinds = frozenset({Pitfall.STALE_CASTS})
    message = "the loop trains inside of one autocast region, which keeps its casts of the weights"
    label = "the casts are kept until this region is left"
    reason = "autocast casts each weight once: later iterations do not see what `step()` changes"
    advice = "enter autocast in each iteration, around the forward and the loss alone"
    events = (("modified", "changes the weights, but not their casts"),)
