"""`torch.utils.checkpoint.checkpoint_sequential`: modules one behind the other, in segments that
all run under a checkpoint but the last.

Mirrors `checkpoint_sequential` in torch/utils/checkpoint.py.
"""

from __future__ import annotations

from autograd_lint.libraries.torch.modules.checkpoints import checkpoint
from autograd_lint.libraries.torch.modules.modules import container_name
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import External, Function, Instance, Items, Unknown, Value

SERIES = "torch.nn.Sequential"
REENTRANT = {"use_reentrant": True}  # by default
OWN = {"functions", "segments", "input"}


def checkpoint_sequential(interp: Interpreter, call: Call) -> Value:
    """`checkpoint_sequential(functions, segments, input, use_reentrant=...)`."""
    layers, segments = _layers(call.get(0, "functions")), call.get(1, "segments")
    if not layers or not isinstance(segments, int) or not 0 < segments <= len(layers) or call.open:
        return Unknown(interp.text(call.node), weight=1)
    told = {name: value for name, value in call.keywords.items() if name not in OWN}
    value, size = call.get(2, "input"), len(layers) // segments
    behind = size * (segments - 1)
    for start in range(0, behind, size):
        segment = _series(layers[start : start + size])
        value = checkpoint(interp, Call([segment, value], {**REENTRANT, **told}, call.node))
    return call_value(interp, _series(layers[behind:]), Call([value], {}, call.node))


def _layers(functions: Value) -> list[Value] | None:
    """The modules of a series, or those of a list; None where not all of them are known."""
    if isinstance(functions, Items) and functions.rest is None:
        return list(functions.items)
    if not isinstance(functions, Instance) or container_name(functions) != "Sequential":
        return None
    parts = functions.attributes.values()
    found: list[Value] = [one for one in parts if isinstance(one, (Instance, Unknown, Function))]
    return found if functions.unknown is None else None


def _series(layers: list[Value]) -> Instance:
    parts = {str(position): layer for position, layer in enumerate(layers)}
    return Instance(External(SERIES), {"training": True, **parts})
