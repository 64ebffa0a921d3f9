"""Which methods of a class are training steps: their results are differentiated by who calls them.

A module's `forward` is; and what a framework asks its users to write. Where the base class of a
class is at hand, its own code tells what it does with the methods that are written for it.
"""

from __future__ import annotations

from collections.abc import Container, Set

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
    """The methods that a class inherits and that train with methods of its own.

    They run backward themselves; or they come, by way of others, to a method of the class that
    does: of those the ones that no other of them calls, as `fit` of a `training_step`.
    """
    own = {name: value for name, value in cls.attributes.items() if isinstance(value, Function)}
    inherited = _inherited(cls, own)
    training = [one for one in inherited if _differentiates(one)]
    found = [one for one in training if not one.query(called_on_self).isdisjoint(own)]
    steps = {value for value in own.values() if _differentiates(value)}
    others = (one for one in inherited if one not in training) if steps else ()
    return found + _leading_to(steps, {one: reached_on_self(cls, one) for one in others})


def _leading_to(steps: Set[Function], ways: dict[Function, list[Function]]) -> list[Function]:
    """The methods whose ways come to one of some steps, and that no other such way comes to."""
    leading = [one for one, way in ways.items() if not steps.isdisjoint(way)]
    inner = {other.name for one in leading for other in ways[one] if other.name != one.name}
    return [one for one in leading if one.name not in inner]


def _inherited(cls: Class, own: Container[str]) -> list[Function]:
    """The methods of the bases of a class which it does not define anew."""
    found: dict[str, Function] = {}
    for base in cls.mro()[1:]:
        for name, method in base.attributes.items():
            if isinstance(method, Function) and name not in own and name not in found:
                found[name] = method.written
    return list(found.values())


def _differentiates(method: Function) -> bool:
    return bool(method.query(effects_in).roots)


def reached_on_self(cls: Class | External, method: Function) -> list[Function]:
    """A method and those of its object that it calls, they too."""
    found, names = [method], [*method.query(called_on_self)]
    while names:
        other = cls.find(names.pop()) if isinstance(cls, Class) else None
        if isinstance(other, Function) and other not in found:
            found.append(other)
            names += other.query(called_on_self)
    return found


def give_model(call: Call) -> None:
    """Make of the model that a framework gives its hooks a module."""
    model = call.keywords.get(_MODEL)
    if isinstance(model, Unknown):
        model.attributes[GIVEN] = True
