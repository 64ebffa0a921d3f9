"""Embeddings that are made of vectors: frozen, unless the program says otherwise.

Source: `Embedding.from_pretrained` in torch/nn/modules/sparse.py.
"""

from __future__ import annotations

from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.libraries.torch.events import EmbeddingLoaded
from autograd_lint.libraries.torch.modules.modules import make_external
from autograd_lint.vm.calls import Call
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Value

PRETRAINED = {
    "torch.nn.Embedding.from_pretrained": "torch.nn.Embedding",
    "torch.nn.EmbeddingBag.from_pretrained": "torch.nn.EmbeddingBag",
}


def load_embedding(interp: Interpreter, path: str, call: Call) -> Value:
    """`Embedding.from_pretrained(vectors, freeze=True, ...)`."""
    made = make_external(interp, PRETRAINED[path], Call([], {}, call.node))
    weight = made.attributes.get("weight") if isinstance(made, Instance) else None
    if isinstance(weight, Tensor):
        frozen = call.get(1, "freeze", True) is not False
        is_frozen = call.get(1, "freeze", True) is True
        weight.requires = None if frozen else CERTAINLY
        interp.emit(EmbeddingLoaded(weight, is_frozen, call.node))
    return made
