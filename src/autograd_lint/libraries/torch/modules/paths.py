"""What a module is asked for by a path: `get_submodule("layers.0")`, `get_parameter`, `get_buffer`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html (get_submodule).
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.libraries.torch.modules.modules import named_modules, parameters
from autograd_lint.libraries.torch.modules.opaque_parameters import module_of, opaque_parameter
from autograd_lint.vm.attributes import get_attribute
from autograd_lint.vm.calls import Call
from autograd_lint.vm.instances import children
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.string_facts import keys_of
from autograd_lint.vm.values import Instance, Unknown, Value


def any_part(interp: Interpreter, instance: Instance, node: ast.AST) -> Unknown:
    """A part of a module under a name that is not known.

    Who gets it may unfreeze it, or put a part of its own into it: what was frozen may require grad
    from then on.
    """
    for _, parameter in parameters(instance):
        if parameter.requires is None and parameter.is_leaf:
            name = parameter.name or interp.text(node)
            parameter.requires = frozenset({Assumption(Kind.REQUIRES_GRAD, name, weight=2)})
    return Unknown(interp.text(node), weight=2)


def _submodule(interp: Interpreter, instance: Instance, call: Call) -> Value:
    """`module.get_submodule(path)`: of a path of which an outline is known the one that it fits."""
    path = call.get(0, "target")
    if isinstance(path, Unknown):
        path = _only_one(instance, path)
    return _at(interp, instance, path, call)


def _tensor(interp: Interpreter, instance: Instance, call: Call) -> Value:
    """`module.get_parameter(path)` and `module.get_buffer(path)`: of a module of an unknown class
    one tensor stands for all."""
    found = _at(interp, instance, call.get(0, "target"), call)
    module = module_of(found) if isinstance(found, Unknown) else None
    return found if module is None else opaque_parameter(module)


def _at(interp: Interpreter, instance: Instance, path: Value, call: Call) -> Value:
    """The part of a module that a path leads to."""
    if not isinstance(path, str):
        return any_part(interp, instance, call.node)
    found: Value = instance
    for name in path.split(".") if path else ():
        found = get_attribute(interp, found, name, call.node)
    return found


def _only_one(instance: Instance, path: Unknown) -> str | None:
    """The path of the one module that a path of which an outline is known leads to."""
    named = [one for one, _ in named_modules(instance)] if children(instance) else []
    found = list(keys_of(path, named))
    return found[0] if len(found) == 1 else None


METHODS: dict[str, Callable[[Interpreter, Instance, Call], Value]] = {
    "get_submodule": _submodule,
    "get_parameter": _tensor,
    "get_buffer": _tensor,
}
