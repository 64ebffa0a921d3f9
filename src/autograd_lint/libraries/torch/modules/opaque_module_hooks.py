"""Forward hooks on modules of unknown classes, and on what lies inside of them.

They are run when the program calls such a module, or a method of it: what they are given is an
output in the graph of that call.
"""

from __future__ import annotations

from autograd_lint.libraries.torch.modules.hooks import removable
from autograd_lint.libraries.torch.modules.opaque_modules import PART
from autograd_lint.libraries.torch.modules.opaque_parameters import GIVEN, ITEM, module_of
from autograd_lint.vm.callbacks import Callbacks
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Function, Items, Method, Unknown, Value

HOOKS = "forward hooks on it and on its parts"
FORWARD = "register_forward_hook"


def hooked(interp: Interpreter, owner: Unknown, name: str, call: Call) -> Value | None:
    """`owner.register_forward_hook(hook)`: what takes it off again; None where it is another call.

    Who has such hooks is a module, and so is what it is an attribute of.
    """
    hook = call.get(0, "hook")
    if name != FORWARD or not isinstance(hook, (Function, Method)):
        return None
    interp.state(Callbacks).take(hook)
    around = list(_around(owner))
    if module_of(owner) is None:
        around[-1].attributes[GIVEN] = True
    registered = Items("tuple", [owner, hook])
    lists = [_hooks_of(module) for module in around]
    for hooks in lists:
        hooks.items.append(registered)
    return removable([hooks.items for hooks in lists], registered)


def _around(module: Unknown) -> list[Unknown]:
    """A module, what it is an attribute or part of, and the module that all of it is in."""
    found = [module]
    owner = _owner(module)
    while isinstance(owner, Unknown):
        found.append(owner)
        known = module_of(owner)
        if known is owner or (known is None and ITEM not in owner.attributes):
            break
        owner = _owner(owner)
    return found


def _owner(module: Unknown) -> Value:
    attributes = module.attributes
    return attributes.get(PART) or attributes.get(ITEM) or module.parent


def _hooks_of(module: Unknown) -> Items:
    found = module.attributes.setdefault(HOOKS, Items("list", []))
    assert isinstance(found, Items)
    return found


def run_hooks(interp: Interpreter, unknown: Unknown, call: Call, result: Unknown) -> None:
    """Something unknown was called: the hooks on it run, or on that whose method it is."""
    for module in (unknown, unknown.parent):
        hooks = module.attributes.pop(HOOKS, None) if module is not None else None
        if module is not None and isinstance(hooks, Items):
            for registered in list(hooks.items):
                _run(interp, registered, call, result)
            module.attributes[HOOKS] = hooks
            return


def _run(interp: Interpreter, registered: Value, call: Call, result: Unknown) -> None:
    assert isinstance(registered, Items)
    owner, hook = registered.items
    assert isinstance(owner, Unknown)
    output = Unknown(f"the output of {owner.origin}", weight=result.weight, source=result.source)
    output.graph_breaks = result.graph_breaks
    given = Items("tuple", list(call.args))
    call_value(interp, hook, Call([owner, given, output], {}, call.node))
