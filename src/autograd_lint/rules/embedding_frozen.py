"""AG340: an embedding of pretrained vectors is frozen, and given to an optimizer."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class EmbeddingFrozen(SilentRule):
    """An embedding that `from_pretrained` has frozen is given to an optimizer to be trained.

    ## What it does

    Finds optimizers that are given the weight of `nn.Embedding.from_pretrained(vectors)` by its
    name (`embedding.parameters()`, in a list or as a group of its own) while it does not require
    grad.

    ## Why it is bad

    `from_pretrained` freezes the weight unless it is told `freeze=False`. The optimizer passes it
    over: the vectors stay what they were. No error is raised.

    ## Example

    ```python
    import torch

    embedding = torch.nn.Embedding.from_pretrained(torch.ones(5, 2))
    head = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD([*embedding.parameters(), *head.parameters()], lr=0.1)
    head(embedding(torch.tensor([1]))).sum().backward()
    optimizer.step()
    assert not embedding.weight.eq(1).all()
    ```

    ## Use instead

    ```python
    import torch

    embedding = torch.nn.Embedding.from_pretrained(torch.ones(5, 2), freeze=False)
    head = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD([*embedding.parameters(), *head.parameters()], lr=0.1)
    head(embedding(torch.tensor([1]))).sum().backward()
    optimizer.step()
    assert not embedding.weight.eq(1).all()
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.nn.Embedding.from_pretrained](https://docs.pytorch.org/docs/stable/generated/torch.nn.Embedding.html#torch.nn.Embedding.from_pretrained)
    """

    code = "AG340"
    name = "embedding-frozen"
    kinds = frozenset({Pitfall.EMBEDDING_FROZEN})
    message = "this embedding is frozen, although an optimizer is given it"
    label = "frozen, as `freeze` is True by default"
    reason = "`from_pretrained` freezes the weight unless it is told otherwise"
    advice = "pass `freeze=False` to train the vectors, or leave them out of the optimizer"
    events = (("needed", "given to the optimizer here"),)
