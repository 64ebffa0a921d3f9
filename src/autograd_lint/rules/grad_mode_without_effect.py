"""AG331: a grad-mode context is made but never entered."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class GradModeWithoutEffect(SilentRule):
    """A grad-mode context is created but never entered.

    ## What it does

    Finds `torch.no_grad()` as a bare statement, and `with torch.no_grad:` without parentheses.

    ## Why it is bad

    The context manager does nothing until `with` enters it: graphs are still built.

    ## Example

    ```python
    import torch

    w = torch.ones(2, requires_grad=True)
    torch.no_grad()
    y = w * 2
    assert not y.requires_grad
    ```

    ## Use instead

    ```python
    import torch

    w = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        y = w * 2
    assert not y.requires_grad
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [Autograd mechanics: locally disabling gradient computation](https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation)
    """

    code = "AG331"
    name = "grad-mode-without-effect"
    kinds = frozenset({Pitfall.MODE_WITHOUT_EFFECT})
    message = "{operator} has no effect here"
    label = "never entered"
    reason = "grad mode only changes when `with` enters the context manager"
    advice = "write `with torch.no_grad():`"
