"""Python's built-in functions on names: `vars`, `locals`, `globals`, and `eval` of a plain text."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import cast

from autograd_lint.project.nodes import walk
from autograd_lint.vm.calls import Call
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.package_members import names_of
from autograd_lint.vm.values import Instance, Mapping, Module, Unknown, Value, by_default

_LONGEST = 200  # characters of an expression in a text


def _vars(interp: Interpreter, call: Call) -> Value:
    """`vars(value)`, which is `value.__dict__`; without a value the names of the scope."""
    if not call.args:
        return _locals(interp, call)
    value = call.args[0]
    if isinstance(value, Module):
        return names_of(value, interp.text(call.node))
    if isinstance(value, Instance) and not is_module(value):
        return Mapping(cast(dict[Value, Value], value.attributes))
    return Unknown(interp.text(call.node))


def _locals(interp: Interpreter, call: Call) -> Value:
    """A copy: what is put into it is not bound."""
    return Mapping(dict(cast(dict[Value, Value], interp.frame.scope.names)))


def _globals(interp: Interpreter, call: Call) -> Value:
    """The names of the module itself, those not computed so far among them."""
    scope = interp.frame.scope
    own = Module(interp.source, scope.module or scope)
    return names_of(own, interp.text(call.node))


def _evaluated(interp: Interpreter, call: Call) -> Value:
    """`eval(text)` of an expression that is known, by default at least."""
    text = by_default(call.get(0, "source"))
    if not isinstance(text, str) or len(text) > _LONGEST or len(call.args) > 1:
        return Unknown(interp.text(call.node))
    try:
        expression = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return Unknown(interp.text(call.node))
    for node in walk(expression):
        ast.copy_location(node, call.node)
    return interp.evaluate(expression)


ON_SCOPES: dict[str, Callable[[Interpreter, Call], Value]] = {
    "vars": _vars,
    "locals": _locals,
    "globals": _globals,
    "eval": _evaluated,
}
