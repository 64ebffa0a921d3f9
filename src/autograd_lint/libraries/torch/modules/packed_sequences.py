"""`torch.nn.utils.rnn`: sequences of several lengths, packed for recurrent layers.

A packed sequence is no tensor: its `data` is one, with the graph of what was packed. Source:
`PackedSequence` in torch/nn/utils/rnn.py.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.operators.apply import apply_operator
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor
from autograd_lint.vm.calls import Call
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import DATA, Items, Unknown, Value

_HINT = "packed"
_DATA = ("attribute", "data")


def packed(data: Value, origin: str) -> Unknown:
    """The packed sequence whose values are `data`."""
    sequence = Unknown(origin, _HINT, weight=DATA)
    sequence.attributes[_DATA] = sequence.attributes["item", 0] = data
    sequence.source = data.node if isinstance(data, Tensor) else None
    return sequence


def data_of(sequence: Value) -> Tensor | None:
    """The values of a packed sequence; None for anything else."""
    if not isinstance(sequence, Unknown) or sequence.hint != _HINT:
        return None
    data = sequence.attributes[_DATA]
    return data if isinstance(data, Tensor) else None


def packed_anew(interp: Interpreter, output: Value, node: ast.AST) -> Value:
    """What a recurrent layer returns for a packed sequence: it joins what it keeps of each step."""
    data = as_tensor(interp, output)
    return data and packed(_arranged(interp, data, node), interp.text(node))


def rearranged(interp: Interpreter, path: str, call: Call) -> Value:
    """What a function of `torch.nn.utils.rnn` gives; None where that is not known."""
    run = _FUNCTIONS.get(path.rpartition(".")[2])
    return run(interp, call) if run is not None else None


def _pack_padded(interp: Interpreter, call: Call) -> Value:
    tensor = as_tensor(interp, call.get(0, "input"))
    return tensor and packed(_arranged(interp, tensor, call.node), interp.text(call.node))


def _pack(interp: Interpreter, call: Call) -> Value:
    sequences = call.get(0, "sequences")
    if not isinstance(sequences, Items):
        return None
    data = apply_operator(interp, "torch.cat", [sequences], {}, call.node)
    return packed(data, interp.text(call.node))


def _pad_packed(interp: Interpreter, call: Call) -> Value:
    """The padded tensor and the lengths of the sequences."""
    data = data_of(call.get(0, "sequence"))
    if data is None:
        return None
    padded = _arranged(interp, data, call.node)
    return Items("tuple", [padded, Tensor(dtype="int", contiguous=None)])


def _arranged(interp: Interpreter, tensor: Tensor, node: ast.AST) -> Value:
    """The values in another order: like a copy, it needs none of them for backward."""
    return apply_operator(interp, "torch.Tensor.clone", [tensor], {}, node)


def _made(interp: Interpreter, call: Call) -> Value:
    data = as_tensor(interp, call.get(0, "data"))
    return data and packed(data, interp.text(call.node))


_FUNCTIONS: dict[str, Callable[[Interpreter, Call], Value]] = {
    "PackedSequence": _made,
    "pack_padded_sequence": _pack_padded,
    "pack_sequence": _pack,
    "pad_packed_sequence": _pad_packed,
}
