"""What `state_dict()` gives for a parameter, and what loading it does to the parameter.

It copies nothing: a state is a detached tensor on the memory of the parameter.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from autograd_lint.engine.events import Created
from autograd_lint.engine.graph_breaks import break_graph
from autograd_lint.engine.inplace import write
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import Detached, StatesSaved, StateTaken
from autograd_lint.places import Place
from autograd_lint.vm.calls import Call
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Mapping, Value

STATE = "state_dict()"
LOADING = "load_state_dict"
SAVING = "torch.save"
NESTED = 3  # how deep the states lie in what is saved


def states_of(
    interp: Interpreter, parameters: Iterable[tuple[Value, Tensor]], node: ast.AST
) -> dict[Value, Value]:
    """What `state_dict()` gives for parameters, each with its key."""
    place = interp.place(node)
    interp.emit(StateTaken(place))
    made = Created(place, STATE)
    return {key: _state_of(interp, parameter, made) for key, parameter in parameters}


def _state_of(interp: Interpreter, parameter: Tensor, made: Created) -> Tensor:
    """A detached tensor on the memory of a parameter, as it is now."""
    kept = parameter.alias(parameter.storage)
    kept.name, kept.seen_version = parameter.name, parameter.storage.version
    kept.made, kept.graph_breaks = made, break_graph(interp.engine, parameter, made)
    interp.emit(Detached(parameter, kept, made))
    return kept


def save(interp: Interpreter, call: Call) -> Value:
    """`torch.save(value, file)`."""
    states = list(_states_in(call.get(0, "obj"), NESTED))
    if states:
        interp.emit(StatesSaved(states, call.node))
    return None


def _states_in(value: Value, depth: int) -> Iterator[Tensor]:
    """The first tensor of each state in a value."""
    parts = list(value.entries.values()) if isinstance(value, Mapping) else []
    first = parts[0] if parts else None
    if isinstance(first, Tensor) and first.made is not None and first.made.operator == STATE:
        yield first
        return
    for part in parts if depth else ():
        yield from _states_in(part, depth - 1)


def state_written(tensors: Sequence[Tensor]) -> None:
    """Tensors were written: what is put into a state by its own tensors is meant to be in it."""
    for tensor in tensors:
        of_state = tensor.made is not None and tensor.made.operator == STATE
        if of_state and tensor.seen_version + 1 >= tensor.storage.version:
            tensor.seen_version = tensor.storage.version


def loads_all(call: Call) -> bool:
    """Whether loading a state writes every parameter: it may leave out some if told to."""
    return call.get(1, "strict", True) is not False


def load(parameter: Tensor, source: Value, place: Place) -> None:
    """Write a parameter from a state; one that shares its memory is as it was."""
    storage = parameter.storage
    own = source if isinstance(source, Tensor) and source.storage is storage else None
    as_it_was = own is not None and own.seen_version == storage.version
    write(parameter, LOADING, place)
    if own is not None and as_it_was:
        own.seen_version = storage.version
