"""Methods of `dict`, of objects of classes that derive from it."""

from __future__ import annotations

from dataclasses import replace

from autograd_lint.vm.builtin_functions import BUILTINS
from autograd_lint.vm.calls import Call
from autograd_lint.vm.containers import mapping_method
from autograd_lint.vm.dictionaries import makes_defaults
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.subscripts import get_item, set_item
from autograd_lint.vm.values import Instance, Items, Mapping, Unknown, Value


def dictionary_method(interp: Interpreter, inner: Mapping, name: str, call: Call) -> Value:
    """`dict.name(object, ...)`, as `super()` asks for it."""
    if name == "__getitem__":
        return get_item(interp, inner, call.get(0, "key"), call.node)
    if name == "__setitem__":
        set_item(interp, inner, call.get(0, "key"), call.get(1, "value"), call.node, name)
        return None
    if name == "update":
        fill(interp, inner, call)
        return None
    if name == "__iter__":
        return Items("list", list(inner.entries), inner.rest and Unknown("a key"))
    return mapping_method(interp, inner, "pop" if name == "__delitem__" else name, call)


def begin(interp: Interpreter, owner: Instance, inner: Mapping, call: Call) -> None:
    """What the constructor of a dictionary does: that of a `defaultdict` is first given what makes
    the values of missing keys."""
    if makes_defaults(owner):
        inner.factory = call.get(0, "default_factory")
        keywords = {name: one for name, one in call.keywords.items() if name != "default_factory"}
        call = replace(call, args=call.args[1:], keywords=keywords)
    fill(interp, inner, call)


def fill(interp: Interpreter, inner: Mapping, call: Call) -> None:
    """`dict.update(...)`, which `dict(...)` does as well."""
    interp.changes(inner)
    given = BUILTINS["dict"](interp, call)
    if isinstance(given, Mapping):
        inner.entries.update(given.entries)
        inner.rest = inner.rest or given.rest
