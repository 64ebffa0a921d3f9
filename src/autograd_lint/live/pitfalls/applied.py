"""Custom Functions in a graph whose backward computes with what is not its call's, or no variable.

class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        Square.x = x                        # of the latest call: there is another one in the graph
        ctx.save_for_backward(2 * x)        # has no graph: a second derivative takes it as constant
        return x * x
"""

from __future__ import annotations

import inspect
from typing import Any

import torch

from autograd_lint.checkers.alone import class_states
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import ON_CLASS, Pitfall
from autograd_lint.live import graph
from autograd_lint.live.definitions import call_in
from autograd_lint.live.memory import Origin
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.private import storage_id
from autograd_lint.live.source import judged

_FEWEST = 8  # elements that tell whether there are as many values as elements
_MOST = 256  # of which so many are looked at
# What these give does not change with what they are given, but in jumps.
_IN_JUMPS = frozenset(
    {
        "argmax", "argmin", "argsort", "bernoulli", "ceil", "eq", "floor", "ge", "gt", "le", "lt",
        "ne", "one_hot", "round", "sign", "sgn", "trunc",
    }
)  # fmt: skip


class Applied:
    """Looks at the custom Functions in each graph; their files are read once."""

    __slots__ = ("_on_class", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._on_class: dict[str, list[Fault]] = {}  # by file

    def before_backward(self, walk: Walk) -> None:
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
        for function, times in functions.items():
            if function is not None and times > 1:
                self._look_at_class(function)

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
        for saved in node.saved_tensors:
            storage = None if saved is None or saved.requires_grad else storage_id(saved)
            origin = None if storage is None else self._told.record.memory.origin(storage)
            if origin is not None and _is_computed(origin, function) and _is_smooth(saved):
                self._told.tell(
                    Pitfall.CUT_IN_BACKWARD,
                    call_in(function.forward, "save_for_backward"),
                    tensor=function.__name__,
                    operator=origin.operator,
                )

    def _file_of(self, method: Any) -> str | None:
        """The file of a method of a custom Function, if that is the program's."""
        code = getattr(inspect.unwrap(method), "__code__", None)
        is_users = code is not None and self._told.sites.is_users(code)
        return code.co_filename if code is not None and is_users else None


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
