"""`requires_grad` where it is only an attribute: on a module, or misspelt."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.modules.opaque_modules import PART, own_parameters
from autograd_lint.libraries.torch.modules.opaque_parameters import KEY, module_of
from autograd_lint.places import Place
from autograd_lint.project.module_names import is_named_as_module
from autograd_lint.vm.events import AttributeSet
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Unknown, Value

FLAG = "requires_grad"
CLOSE = 0.85  # how alike a misspelt name is to the one that was meant


@dataclass(frozen=True, slots=True)
class _Flag:
    """An attribute that was set in vain, and what it was to make of what."""

    owner: Value
    name: str
    value: bool
    place: Place | None
    assumptions: frozenset[Assumption] = frozenset()


@dataclass(slots=True, eq=False, repr=False)
class FlagsWithoutEffect(Checker):
    """Looks at each attribute that is set under such a name, and in the end whether what it was to
    do has been done in another way."""

    found: list[_Flag] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, AttributeSet, cls.attribute_set)

    def attribute_set(self, interp: Interpreter, event: AttributeSet) -> None:
        """An attribute is about to be set."""
        owner, value = event.owner, event.value
        if "grad" not in event.name or not isinstance(value, bool):
            return
        if isinstance(owner, (Tensor, Unknown, Instance)) and not _is_so(owner, value):
            self._keep(interp, owner, event.name, value, event.node)

    def _keep(
        self, interp: Interpreter, owner: Value, name: str, value: bool, node: ast.AST
    ) -> None:
        # An object that is told such a flag keeps it for its own use.
        own = owner is interp.frame.receiver and FLAG in interp.frame.scope.names
        of_module = name == FLAG and not own and not isinstance(owner, Tensor)
        if of_module or _misspelt(name):
            origin = owner.origin if of_module and isinstance(owner, Unknown) else None
            because = [Assumption(Kind.IS_MODULE, origin, weight=0)] if origin is not None else []
            place = interp.place(node)
            self.found.append(_Flag(owner, name, value, place, frozenset(because)))

    def end(self, interp: Interpreter) -> None:
        """The run is over: by now it is known what is a module, and what is frozen."""
        for flag in self.found:
            of_module = is_module(flag.owner) or _is_opaque_module(interp, flag.owner)
            if flag.name == FLAG and not of_module:
                continue
            frozen = of_module and not flag.value and _is_frozen(flag.owner)
            if not frozen and not _is_so(flag.owner, flag.value):
                note(
                    interp,
                    Pitfall.FLAG_WITHOUT_EFFECT,
                    flag.place,
                    operator=flag.name,
                    assumptions=flag.assumptions,
                )


def _is_frozen(module: Value) -> bool:
    """Whether all parameters of a module were told to require no grad, by another statement."""
    tensors = list(own_parameters(module))
    return bool(tensors) and all(one.requires_grad is None for one in tensors)


def _is_opaque_module(interp: Interpreter, owner: Value) -> bool:
    """Whether something unknown is used as a module, or is part of one and named as modules are."""
    if not isinstance(owner, Unknown) or _found_parameter(interp, owner):
        return False
    used = not owner.attributes.keys().isdisjoint({KEY, PART})
    return used or (module_of(owner.parent) is not None and is_named_as_module(owner.origin))


def _found_parameter(interp: Interpreter, owner: Unknown) -> bool:
    """Whether the path has found something unknown to be a parameter, or another tensor."""
    return any(
        isinstance(key, tuple)
        and key[0] == "isinstance"
        and re.search(r"\b(Parameter|Tensor)\b", key[1]) is not None
        and isinstance(answer, Unknown)
        and interp.choices.found_true(answer)
        for key, answer in owner.attributes.items()
    )


def _is_so(owner: Value, value: bool) -> bool:
    """Whether a tensor is as the flag would make it."""
    return isinstance(owner, Tensor) and (owner.requires_grad is not None) is value


def _misspelt(name: str) -> bool:
    """Whether a name is meant to be that of the flag: another spelling, or the method that sets
    it."""
    from difflib import SequenceMatcher

    if name == f"{FLAG}_":
        return True
    plain = name.strip("_")
    if plain.endswith(f"_{FLAG}"):
        return False  # the flag of something else, by its own name
    return plain != FLAG and SequenceMatcher(None, plain, FLAG).ratio() > CLOSE
