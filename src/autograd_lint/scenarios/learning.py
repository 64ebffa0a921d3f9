"""What a harness does with a result: backward through it, and the step of an optimizer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from autograd_lint.checkers.graph_chains import freed_behind
from autograd_lint.engine import backward as engine
from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.graph import Node
from autograd_lint.engine.inplace import write
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import TrainedByHarness
from autograd_lint.libraries.torch.modules.modules import parameters
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, Instance, Items, Mapping, Unknown, Value


def trained(interp: Interpreter, passes: int) -> bool:
    """Whether the program has trained by itself since there had been so many passes of backward."""
    calls = [walk.call for walk in interp.engine.backward.passes[passes:]]
    return any(call.place is not None and call.inputs is None for call in calls)


def goes_on(result: Value) -> bool:
    """Whether a step gives something back through which no backward of its own has gone."""
    nodes = [tensor.node for tensor in tensors_in(result) if tensor.node is not None]
    return bool(nodes) and not any(node.opaque or node.walked_at for node in nodes)


def learn(
    interp: Interpreter, instance: Instance, result: Value, because: frozenset[Assumption]
) -> None:
    """Backward through a result, and the step of an optimizer of all parameters of a module."""
    weights = [tensor for _, tensor in parameters(instance)]
    interp.emit(TrainedByHarness(weights))
    differentiate(interp, result, because)
    for tensor in weights:
        if tensor.grad is not None:
            write(tensor, "the optimizer", None, by_optimizer=True)
            tensor.grad = None


def differentiate(
    interp: Interpreter, result: Value, because: frozenset[Assumption], *, retain: bool = False
) -> None:
    """Backward through every tensor of a result that requires grad.

    Where graphs are retained the calls are no training step of their own: what an earlier one has
    freed is let alone.
    """
    roots = [tensor for tensor in _results(result) if tensor.requires_grad is not None]
    unique = list({id(tensor): tensor for tensor in roots if tensor.node is not None}.values())
    if retain:
        unique = [t for t in unique if t.node is not None and freed_behind(t.node) is None]
    if unique:
        call = engine.Call(
            unique, None, gradient_given=True, retain_graph=retain, assumptions=because
        )
        engine.backward(interp.engine, call)


def _results(value: Value, depth: int = 4) -> Iterator[Tensor]:
    """The tensors of a result, also those that went into an object or into unknown code."""
    if isinstance(value, Tensor):
        yield value
    elif depth == 0 or is_module(value):
        return
    else:
        if isinstance(value, Unknown):
            yield from _results_of_unknown(value)
        for item in _held(value):
            yield from _results(item, depth - 1)


def _results_of_unknown(value: Unknown) -> Iterator[Tensor]:
    """The tensor that an unknown was found to be, if it was written, and what has its graph."""
    if value.tensor is not None and value.tensor.storage.writes:
        yield value.tensor
    if value.source is not None and not value.hint:
        yield Tensor(requires=value.source.requires, node=value.source)


def _held(value: Value) -> Iterable[Value]:
    """What a container, an object of a class of the program or an unknown holds."""
    if isinstance(value, Items):
        return value.items
    if isinstance(value, Mapping):
        return value.entries.values()
    if isinstance(value, Instance) and isinstance(value.cls, Class):
        return value.attributes.values()
    if isinstance(value, Unknown):
        held = value.attributes.values()
        return [item for item in held if isinstance(item, (Tensor, Items, Mapping))]
    return ()


def carries_graph(value: Value) -> bool:
    """Whether a tensor with history is kept in a value, or what unknown code has made of one."""
    held = value.attributes.values() if isinstance(value, Instance) else (value,)
    nodes = (tensor.node for tensor in tensors_in(value, depth=6))
    known = any(node is not None and not node.opaque for node in nodes)
    return known or any(map(_has_source, held))


def _has_source(value: Value) -> bool:
    """Whether something comes from the graph of what is not known."""
    node = value.node if isinstance(value, Tensor) else getattr(value, "source", None)
    return isinstance(node, Node) and bool(node.edges)


def left_training(interp: Interpreter, instance: Instance) -> bool:
    """Whether the path has taken a module not to be in training mode."""
    training = instance.attributes.get("training")
    return isinstance(training, Unknown) and interp.choices.decided(training) is False
