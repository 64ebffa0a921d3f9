"""Custom Functions in a graph whose backward computes with what is not its call's, or no variable.

class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        Square.x = x                        # of the latest call: there is another one in the graph
        ctx.save_for_backward(2 * x)        # has no graph: a second derivative takes it as constant
        return x * x
"""

from __future__ import annotations

import ast
import inspect
from typing import Any
from weakref import WeakSet

import torch

from autograd_lint.checkers.alone import class_states
from autograd_lint.engine.events import Needed
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import ON_CLASS, Pitfall
from autograd_lint.facts.compared_saved import is_only_compared
from autograd_lint.facts.unread_gradients import unread_gradients
from autograd_lint.live import graph
from autograd_lint.live.definitions import Node, assignment, call_in, written
from autograd_lint.live.failure import place_of
from autograd_lint.live.memory import Origin
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.private import storage_id
from autograd_lint.live.reading import attributes, is_a
from autograd_lint.live.source import judged, place_in
from autograd_lint.project.source import Source

_FEWEST = 8  # elements that tell whether there are as many values as elements
_MOST = 256  # of which so many are looked at
# What these give does not change with what they are given, but in jumps.
_IN_JUMPS = frozenset(
    {
        "argmax", "argmin", "argsort", "bernoulli", "ceil", "eq", "floor", "ge", "gt", "le", "lt",
        "ne", "one_hot", "round", "sign", "sgn", "trunc",
    }
)  # fmt: skip

# Operators that hand the gradient of their result on as it is.
_PASSING_ON = frozenset({"add", "alias", "clone", "expand", "reshape", "sum", "to_copy", "view"})


class Applied(Family):
    """Looks at the custom Functions in each graph; their files are read once."""

    __slots__ = ("_looked", "_on_class", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._looked: WeakSet[Any] = WeakSet()  # the Functions whose backward was read
        self._on_class: dict[str, list[Fault]] = {}  # by file

    def look(self, walk: Walk) -> None:
        """A call of the engine begins that is looked at closely."""
        nodes = [node for node in walk.nodes if graph.runs_program(node)]
        if not nodes:
            return
        functions: dict[Any, int] = {}
        for node in nodes:
            function = getattr(node, "_forward_cls", None)
            functions[function] = functions.get(function, 0) + 1
            if function is not None and walk.creates and not self._told.record.has_packed:
                self._look_at_saved(node, function)
        given_ones = _given_ones(walk.roots)
        for node in nodes:
            if node not in given_ones:
                self._look_at_gradient(getattr(node, "_forward_cls", None), walk)
        for function, times in functions.items():
            if function is not None and times > 1:
                self._look_at_class(function)

    def _look_at_gradient(self, function: Any, walk: Walk) -> None:
        """A Function whose result is computed with: does its backward read the gradient of that?"""
        if function is None or function in self._looked:
            return
        self._looked.add(function)
        filename = self._file_of(function.backward)
        if filename is None:
            return
        _, node = written(function.backward)
        if node is not None and _is_ignoring(node):
            self._told.tell(
                Pitfall.OUTPUT_GRADIENT_IGNORED,
                place_in(filename, node),
                tensor=function.__name__,
                needed=Needed(place_of(walk.site), walk.name),
            )

    def _look_at_class(self, function: Any) -> None:
        """A Function was applied twice: does its backward read what is one for all calls?"""
        filename = self._file_of(function.forward)
        if filename is None:
            return
        if filename not in self._on_class:
            self._on_class[filename] = judged(class_states.judge, filename)
        for fault in self._on_class[filename]:
            if fault.operator == function.__name__:
                self._told.tell(
                    Pitfall.KEPT_ON_CONTEXT,
                    fault.place,
                    tensor=fault.tensor,
                    operator=fault.operator,
                    detail=ON_CLASS,
                )

    def _look_at_saved(self, node: Any, function: Any) -> None:
        """A graph of gradients is made: what was saved that forward has computed for backward?"""
        if self._file_of(function.forward) is None or _leaves_it_to_another(function):
            return
        self._look_at_context(node, function)
        _, backward = written(function.backward)
        for index, saved in enumerate(node.saved_tensors):
            storage = None if saved is None or saved.requires_grad else storage_id(saved)
            origin = None if storage is None else self._told.record.memory.origin(storage)
            if origin is None or not (_is_computed(origin, function) and _is_smooth(saved)):
                continue
            if backward is None or not is_only_compared(backward, index):
                self._told.tell(
                    Pitfall.CUT_IN_BACKWARD,
                    call_in(function.forward, "save_for_backward"),
                    tensor=function.__name__,
                    operator=origin.operator,
                )

    def _look_at_context(self, node: Any, function: Any) -> None:
        """The same of what forward has kept on its context, and backward reads there."""
        names = inspect.unwrap(function.backward).__code__.co_names
        for name, value in attributes(node).items():
            is_constant = is_a(value, torch.Tensor) and not value.requires_grad
            storage = storage_id(value) if is_constant and name in names else None
            origin = None if storage is None else self._told.record.memory.origin(storage)
            if origin is None or not (_is_computed(origin, function) and _is_smooth(value)):
                continue
            kept = assignment(function.forward, name)
            self._told.tell(
                Pitfall.CUT_IN_BACKWARD,
                None if kept is None else kept[0],
                tensor=function.__name__,
                operator=origin.operator,
            )

    def _file_of(self, method: Any) -> str | None:
        """The file of a method of a custom Function, if that is the program's."""
        code = getattr(inspect.unwrap(method), "__code__", None)
        is_users = code is not None and self._told.sites.is_users(code)
        return code.co_filename if code is not None and is_users else None


def _is_ignoring(backward: Node) -> bool:
    """Whether a backward returns something else than nothing and zeros, and reads none of the
    gradients that it is given; one that it calls `_` is meant to be left out."""
    named = [one.arg for one in backward.args.args[1:]]
    if unread_gradients(Source("", ""), backward) is not None or any(
        one.startswith("_") for one in named
    ):
        return False
    returned = (one.value for one in ast.walk(backward) if isinstance(one, ast.Return))
    values = [one for one in returned if one is not None]
    parts = [part for value in values for part in ast.walk(value)]
    names = {getattr(part, "attr", getattr(part, "id", "")) for part in ast.walk(backward)}
    is_cut = any(name.startswith(("new_zeros", "zeros")) for name in names)
    return not is_cut and not all(
        isinstance(one, (ast.Constant, ast.Tuple, ast.Load)) for one in parts
    )


def _given_ones(roots: list[torch.Tensor]) -> set[Any]:
    """The nodes that a backward from these gives nothing but ones."""
    found = set[Any]()
    stack = graph.roots_of(roots)
    while stack:
        node = stack.pop()
        if node not in found:
            found.add(node)
            stack += graph.edges_of(node) if graph.operator_of(node) in _PASSING_ON else ()
    return found


def _leaves_it_to_another(function: Any) -> bool:
    """Whether a backward applies a Function, which has a backward of its own."""
    code = getattr(inspect.unwrap(function.backward), "__code__", None)
    return code is None or "apply" in code.co_names


def _is_computed(origin: Origin, function: Any) -> bool:
    """Whether forward itself has made a tensor of what requires grad, other than in jumps."""
    cut, forward = origin.cut, inspect.unwrap(function.forward)
    if cut is None or cut.site is None or cut.site.code is not forward.__code__:
        return False
    return _IN_JUMPS.isdisjoint((origin.operator, cut.operator))


def _is_smooth(tensor: torch.Tensor) -> bool:
    """Whether a tensor has about as many values as elements: others may be one of a few slopes."""
    if not tensor.is_floating_point() or tensor.device.type != "cpu":
        return False
    few = tensor.detach().reshape(-1)[:_MOST]
    return few.numel() >= _FEWEST and 2 * len(set(few.tolist())) > few.numel()
