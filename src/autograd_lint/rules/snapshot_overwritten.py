"""AG109: values that were to be kept are overwritten through another name."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class SnapshotOverwritten(SilentRule):
    """Values that were meant to be kept are overwritten through another tensor.

    ## What it does

    Finds results of `detach()`, `.data` and `state_dict()`, and gradients assigned to a variable,
    an entry or an attribute, that share memory with a tensor which is then modified in place (by an
    operator, an optimizer, another backward), and that are used after that.

    ## Why it is bad

    None of these is a copy: what was kept to be compared or logged later holds the new values. No
    error is raised.

    ## Example

    ```python
    import torch

    x = torch.ones(2, requires_grad=True)
    hidden = x + 1
    before = hidden.detach()
    hidden += 5
    assert before.sum() == 4
    ```

    ## Use instead

    ```python
    import torch

    x = torch.ones(2, requires_grad=True)
    hidden = x + 1
    before = hidden.detach().clone()
    hidden += 5
    assert before.sum() == 4
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.Tensor.detach](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html)
    """

    code = "AG109"
    name = "snapshot-overwritten"
    kinds = frozenset({Pitfall.SNAPSHOT_OVERWRITTEN})
    message = "this in-place write also changes the values that {operator} was meant to keep"
    label = "overwrites the shared memory"
    reason = "{operator} returns a tensor that shares memory, not a copy"
    advice = "keep a copy (`.clone()`), or write out of place"
    events = (
        ("built", "kept here"),
        ("needed", "used here, with the new values"),
    )
