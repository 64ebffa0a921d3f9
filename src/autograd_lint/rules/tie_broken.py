"""AG338: one of two tied parameters is replaced."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class TieBroken(SilentRule):
    """One of two tied parameters is replaced by a new one.

    ## What it does

    Finds a parameter that two modules share and that is then replaced in one of them, by a new
    `nn.Parameter` or with the whole module, where one backward trains both. The same where each of
    the two modules is replaced by a new one, and nothing ties these again.

    ## Why it is bad

    The other module keeps the old parameter, or gets another one. The two are trained apart, the
    model has more parameters than it should, and values that were loaded into one of them do not
    reach the other. Nothing is raised.

    ## Example

    ```python
    import torch
    from torch import nn

    embedding, head = nn.Embedding(5, 2), nn.Linear(2, 5, bias=False)
    head.weight = embedding.weight
    embedding.weight = nn.Parameter(torch.randn(5, 2))
    head(embedding(torch.tensor([1]))).sum().backward()
    assert head.weight is embedding.weight
    ```

    ## Use instead

    ```python
    import torch
    from torch import nn

    embedding, head = nn.Embedding(5, 2), nn.Linear(2, 5, bias=False)
    embedding.weight = nn.Parameter(torch.randn(5, 2))
    head.weight = embedding.weight
    head(embedding(torch.tensor([1]))).sum().backward()
    assert head.weight is embedding.weight
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.nn.Parameter](https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html)
    """

    code = "AG338"
    name = "tie-broken"
    kinds = frozenset({Pitfall.TIE_BROKEN})
    message = "this breaks a tie: the other module does not get this {tensor}"
    label = "a new parameter"
    reason = "an assignment replaces the parameter of this module alone"
    advice = "copy the values into it under `no_grad()` (`copy_`), or tie the modules after this"
    events = (("built", "tied here"),)
    unnamed = "parameter"
