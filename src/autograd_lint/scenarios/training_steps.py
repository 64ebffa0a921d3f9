"""Which methods of a class are training steps: their results are differentiated by who calls them.

A module's `forward` is; and what a framework asks its users to write. Where the base class of a
class is at hand, its own code tells what it does with the methods that are written for it.
"""

from __future__ import annotations

from autograd_lint.engine.graph import Node
from autograd_lint.facts.body import called_on_self
from autograd_lint.facts.effects import effects_in
from autograd_lint.libraries.framework_hooks import HOOKS, is_hook
from autograd_lint.libraries.torch.modules.opaque_parameters import GIVEN
from autograd_lint.libraries.torch.modules.uses import STEPS
from autograd_lint.vm.calls import Call
from autograd_lint.vm.instances import is_module_class
from autograd_lint.vm.values import (
    Class,
    External,
    Function,
    Items,
    Mapping,
    Unknown,
    Value,
)

_MODEL = "model"  # what a trainer of transformers gives its hooks to train


def steps(cls: Class) -> list[Function]:
    """The methods of a class that are followed by backward and an optimizer's step."""
    names = STEPS if is_module_class(cls) else [name for name in HOOKS if is_hook(cls, name)]
    found = [cls.find(name) for name in names]
    return [method for method in found if isinstance(method, Function)]


def loss_in(cls: Class | External, name: str, result: Value) -> Node | None:
    """The graph of what the framework runs backward on, of what one of its hooks returned.

    Source: `ClosureResult.from_training_step_output` in
    lightning/pytorch/loops/optimization/automatic.py.
    """
    if not isinstance(cls, Class) or not is_hook(cls, name):
        return None
    if isinstance(result, Mapping):
        result = result.entries.get("loss")
    elif isinstance(result, Items) and result.items:
        result = result.items[0]
    loss = result.tensor if isinstance(result, Unknown) and result.tensor else result
    return loss.source if isinstance(loss, Unknown) else getattr(loss, "node", None)


def inherited_trainers(cls: Class) -> list[Function]:
    """The methods that a class inherits, run backward themselves and call methods of its own."""
    own = {name for name, value in cls.attributes.items() if isinstance(value, Function)}
    found: dict[str, Function] = {}
    for base in cls.mro()[1:]:
        for name, method in base.attributes.items():
            if isinstance(method, Function) and name not in own and name not in found:
                found[name] = method.written
    return [
        method
        for method in found.values()
        if method.query(effects_in).roots and not own.isdisjoint(method.query(called_on_self))
    ]


def give_model(call: Call) -> None:
    """Make of the model that a framework gives its hooks a module."""
    model = call.keywords.get(_MODEL)
    if isinstance(model, Unknown):
        model.attributes[GIVEN] = True
