"""Modules that are the default of an argument: all objects that are not given another share one.

class Block(nn.Module):
    def __init__(self, width, act=nn.PReLU()):     # made once, where the method is defined
        self.act = act

Source: https://docs.python.org/3/reference/compound_stmts.html#function-definitions (defaults are
evaluated when the definition is).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.multiplied_layers import tell
from autograd_lint.engine.pitfalls import DEFAULT
from autograd_lint.vm.events import ConstructorRun
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, Function, Instance, Value


@dataclass(slots=True, eq=False, repr=False)
class SharedDefaults(Checker):
    """The modules that hold the default of an argument, by that."""

    holders: dict[int, Instance] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ConstructorRun, cls.constructor_run)

    def constructor_run(self, interp: Interpreter, event: ConstructorRun) -> None:
        """The program has made an object: does it hold a module that another one holds?

        One that only a harness makes is not counted: who makes it may give it its own module.
        """
        if not interp.whole and all(frame.function is None for frame in interp.frames):
            return
        holder = event.instance
        function = holder.cls.find("__init__") if isinstance(holder.cls, Class) else None
        if not isinstance(function, Function) or not is_module(holder):
            return
        for node, default in _defaults(function):
            if not _holds(holder, default):
                continue
            if self.holders.setdefault(id(default), holder) is not holder:
                tell(interp, default, function.source.place(node), DEFAULT)


def _defaults(function: Function) -> Iterator[tuple[ast.expr, Instance]]:
    """The modules that are defaults of a function, with the expressions that make them."""
    given = function.definition.args
    pairs = list(zip(given.defaults, function.defaults, strict=False))
    named = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    known = function.keyword_defaults
    pairs += [(node, known.get(one.arg)) for one, node in named if node is not None]
    for node, value in pairs:
        if isinstance(value, Instance) and is_module(value):
            yield node, value


def _holds(holder: Instance, part: Value) -> bool:
    return any(one is part for one in holder.attributes.values())
