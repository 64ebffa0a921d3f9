"""Arguments that an operator takes only as integers: none of them comes from a graph."""

from __future__ import annotations

from collections.abc import Mapping

from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.machine import Interpreter

# Where they stand, by the keys of the operator table.
_INDICES = {
    **dict.fromkeys(("nn.Embedding", "nn.EmbeddingBag", "nn.functional.one_hot"), "0"),
    **dict.fromkeys(("nn.functional.embedding", "nn.functional.embedding_bag", "bincount"), "0"),
    **dict.fromkeys(("embedding", "take", "take_along_dim"), "1"),
    **dict.fromkeys(("nn.NLLLoss", "nn.functional.nll_loss"), "1"),
    **dict.fromkeys(("gather", "index_select", "index_fill", "index_fill_"), "2"),
    **dict.fromkeys(("index_add", "index_add_", "index_copy", "index_copy_"), "2"),
    **dict.fromkeys(("scatter", "scatter_", "scatter_add", "scatter_add_"), "2"),
}


def taken_as_integers(interp: Interpreter, name: str, arguments: Mapping[str, object]) -> None:
    """An operator runs: what it takes as places is data, where it was thought to require grad.

    Source: only tensors of floating point and complex dtype can require gradients.
    """
    value = arguments.get(_INDICES.get(name, ""))
    if isinstance(value, Tensor):
        interp.engine.assumed.treated_as_data.update(value.requires_grad or ())
