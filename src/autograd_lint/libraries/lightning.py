"""What Lightning gives a module whose `training_step` optimizes by itself, and how it calls it.

Sources: `LightningModule` in lightning/pytorch/core/module.py, `_configure_optimizers` in
lightning/pytorch/core/optimizer.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from autograd_lint.engine.tensor import Requires, Tensor
from autograd_lint.libraries.accelerate import backward_of
from autograd_lint.libraries.torch.optimizers import is_optimizer, optimized
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.calls import Call
from autograd_lint.vm.instances import call_method, external_class, has_method
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import (
    Class,
    Definition,
    Function,
    Instance,
    Items,
    Mapping,
    Native,
    Unknown,
    Value,
)

_EVALUATION = re.compile(r"(?:on_)?(?:validation|test|predict)_")
_HOOK = re.compile(r"on_(?:validation|test|predict)_")
CONFIGURED = "what configure_optimizers returned"
TOGGLED = "what requires grad again later"


def lightning_attribute(instance: Instance, name: str) -> Value | None:
    """A method of `LightningModule`; None for what is not modelled."""
    if name not in _METHODS or not _is_lightning(instance):
        return None
    return Native(name, partial(_METHODS[name], instance))


def evaluates(instance: Instance, name: str) -> bool:
    """Whether Lightning calls a method without grad mode, and no hook of the module asks for it.

    Source: `_no_grad_context` in lightning/pytorch/loops/utilities.py.
    """
    if _EVALUATION.match(name) is None or not _is_lightning(instance):
        return False
    values = instance.cls.attributes.values() if isinstance(instance.cls, Class) else ()
    hooks = [one for one in values if isinstance(one, Function) and _HOOK.match(one.name)]
    return not any(hook.query(_switches_on) for hook in hooks)


@query
def _switches_on(source: Source, node: Definition) -> bool:
    return "set_grad_enabled(True)" in source.segment(node)


def _is_lightning(instance: Instance) -> bool:
    return any(path.endswith(".LightningModule") for path in external_class(instance))


def _manual_backward(instance: Instance, interp: Interpreter, call: Call) -> Value:
    return backward_of(interp, call)


def _optimizers(instance: Instance, interp: Interpreter, call: Call) -> Value:
    """`self.optimizers()`: the one optimizer that was configured, or a list of several."""
    found = _configured(instance, interp, call)
    if found is None:
        return Unknown(interp.text(call.node))
    return found[0] if len(found) == 1 else Items("list", list(found))


def _configured(instance: Instance, interp: Interpreter, call: Call) -> list[Value] | None:
    """The optimizers of a module, made once; None where they are not known."""
    if CONFIGURED not in instance.attributes:
        known = has_method(instance, "configure_optimizers")
        instance.attributes[CONFIGURED] = (
            call_method(interp, instance, "configure_optimizers", [], call.node) if known else None
        )
    found = _listed(instance.attributes[CONFIGURED])
    return found if found and all(is_optimizer(one) for one in found) else None


def _listed(configured: Value) -> list[Value]:
    """The optimizers in any of the forms in which they may be returned."""
    if isinstance(configured, Mapping):
        return [configured.entries.get("optimizer")]
    if not isinstance(configured, Items):
        return [configured]
    if not configured.closed:
        return []
    first = configured.items[0] if configured.items else None
    if isinstance(first, Items):
        return list(first.items) if first.closed else []
    parts = configured.items
    return [part.entries.get("optimizer") if isinstance(part, Mapping) else part for part in parts]


def _toggle(instance: Instance, interp: Interpreter, call: Call) -> Value:
    """`self.toggle_optimizer(optimizer)`: only what it updates requires grad from now on."""
    chosen, found = call.get(0, "optimizer"), _configured(instance, interp, call)
    if found is None or not any(chosen is one for one in found):
        return None
    kept = {id(tensor) for tensor in optimized(chosen)}
    others = [tensor for one in found for tensor in optimized(one) if id(tensor) not in kept]
    before = [(tensor, tensor.requires) for tensor in others]
    instance.attributes[TOGGLED] = Native("restore", partial(_restore, before))
    for tensor in others:
        tensor.requires = None
    return None


def _restore(before: list[tuple[Tensor, Requires]], interp: Interpreter, call: Call) -> Value:
    for tensor, requires in before:
        tensor.requires = requires
    return None


def _untoggle(instance: Instance, interp: Interpreter, call: Call) -> Value:
    restore = instance.attributes.pop(TOGGLED, None)
    return restore.run(interp, call) if isinstance(restore, Native) else None


_METHODS: dict[str, Callable[[Instance, Interpreter, Call], Value]] = {
    "manual_backward": _manual_backward,
    "optimizers": _optimizers,
    "toggle_optimizer": _toggle,
    "untoggle_optimizer": _untoggle,
}
