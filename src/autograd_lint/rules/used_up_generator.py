"""AG325: a generator of parameters is gone through twice."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class UsedUpGenerator(SilentRule):
    """A generator such as `parameters()` is iterated over twice.

    ## What it does

    Finds `parameters()` and similar generators that are stored in a variable and iterated over a
    second time.

    ## Why it is bad

    A generator yields its elements only once: the second time it is empty, so clipping, summing or
    optimizing gets no parameters.

    ## Example

    ```python
    import torch

    model = torch.nn.Linear(2, 1)
    parameters = model.parameters()
    size = sum(parameter.numel() for parameter in parameters)
    model(torch.ones(1, 2)).sum().backward()
    norm = torch.nn.utils.clip_grad_norm_(parameters, 1.0)
    assert norm > 0
    ```

    ## Use instead

    ```python
    import torch

    model = torch.nn.Linear(2, 1)
    parameters = list(model.parameters())
    size = sum(parameter.numel() for parameter in parameters)
    model(torch.ones(1, 2)).sum().backward()
    norm = torch.nn.utils.clip_grad_norm_(parameters, 1.0)
    assert norm > 0
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.nn.Module.parameters](https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.parameters)
    """

    code = "AG325"
    name = "used-up-generator"
    kinds = frozenset({Pitfall.USED_UP})
    message = "this generator of parameters is already exhausted"
    label = "empty at this point"
    reason = "a generator yields its elements only once"
    advice = "write `list(model.parameters())`"
    events = (("built", "exhausted here"),)
