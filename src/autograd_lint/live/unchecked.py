"""What backward uses without any check of versions: tensors that the engine did not save itself.

Saved tensors under hooks are whatever the hooks made of them; a custom Function may keep tensors on
its context; a checkpoint reads again what its function reads.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

import torch

from autograd_lint.live import graph
from autograd_lint.live.reading import attributes, is_a
from autograd_lint.live.surroundings import captured, tensors_of


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A tensor that the backward of `node` uses as it is then; `number` is when it was taken."""

    node: Any
    name: str
    tensor: torch.Tensor
    number: int


def unchecked_in(nodes: Sequence[Any]) -> Iterator[Unchecked]:
    """Every such tensor below a call."""
    checkpoints: dict[int, tuple[Any, Any, int]] = {}
    for node in nodes:
        number = graph.sequence_of(node)
        if number is None:
            continue
        if graph.runs_program(node):
            yield from _on_context(node, number)
            run = getattr(node, "run_function", None)  # that of a checkpoint, the reentrant kind
            for name, tensor in read_by_call(run) if callable(run) else ():
                yield Unchecked(node, name, tensor, number)
        for packed, hook in graph.packed(node):
            yield from _packed(node, packed, number)
            for frame in _checkpoints(hook):
                latest = checkpoints.get(id(frame), (None, None, -1))[2]
                checkpoints[id(frame)] = (node, frame, max(latest, number))
    for node, frame, number in checkpoints.values():
        for name, tensor in _read_again(frame):
            yield Unchecked(node, name, tensor, number)


def _on_context(node: Any, number: int) -> Iterator[Unchecked]:
    for name, value in vars(node).items():
        if is_a(value, torch.Tensor):
            yield Unchecked(node, name, value, number)


def _packed(node: Any, packed: Any, number: int) -> Iterator[Unchecked]:
    for one in packed if type(packed) in (list, tuple) else (packed,):
        if is_a(one, torch.Tensor):
            yield Unchecked(node, "", one, number)


def _checkpoints(hook: Any) -> Iterator[Any]:
    held = captured(hook) if is_a(hook, FunctionType) else ()
    return (one for one in held if "recompute_fn" in attributes(one))


def _read_again(frame: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors and parameters that a checkpointed function reads besides its arguments."""
    recompute = frame.recompute_fn
    for run in captured(recompute) if is_a(recompute, FunctionType) else ():
        yield from read_by_call(run)


def read_by_call(run: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """The same for what is called: functions that it reads, as those of a checkpoint inside of it,
    read for it."""
    waiting, known = [("", run)], set()
    while waiting:
        name, value = waiting.pop()
        if is_a(value, torch.nn.Module):
            yield from value.named_parameters(name)
        elif is_a(value, torch.Tensor):
            yield from tensors_of(name, value)
        elif is_a(value, FunctionType) and value not in known and not _is_library(value):
            known.add(value)
            waiting += _read_by(value)


def _is_library(function: FunctionType) -> bool:
    return function.__module__ is not None and function.__module__.partition(".")[0] == "torch"


def _read_by(function: FunctionType) -> list[tuple[str, Any]]:
    names = function.__globals__
    free = list(zip(function.__code__.co_freevars, captured(function), strict=False))
    read = (name for code in _codes(function.__code__) for name in code.co_names)
    return [*free, *((name, names[name]) for name in read if name in names)]


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a function, and of the functions written in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
