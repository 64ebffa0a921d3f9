"""`requires_grad` where it is only an attribute: on a module, or misspelt."""

from __future__ import annotations

import ast
import re

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.modules.opaque_modules import PART
from autograd_lint.libraries.torch.modules.opaque_parameters import KEY
from autograd_lint.vm.events import AttributeSet
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Unknown, Value

FLAG = "requires_grad"
CLOSE = 0.85  # how alike a misspelt name is to the one that was meant


class FlagsWithoutEffect(Checker):
    """Looks at each attribute that is set under such a name."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, AttributeSet, cls.attribute_set)

    def attribute_set(self, interp: Interpreter, event: AttributeSet) -> None:
        """An attribute is about to be set."""
        if "grad" in event.name and isinstance(event.owner, (Tensor, Unknown, Instance)):
            _judge_flag(interp, event.owner, event.name, event.value, event.node)


def _judge_flag(interp: Interpreter, owner: Value, name: str, value: Value, node: ast.AST) -> None:
    opaque = isinstance(owner, Unknown) and _is_opaque_module(interp, owner)
    # An object that is told such a flag keeps it for its own use.
    own = owner is interp.frame.receiver and FLAG in interp.frame.scope.names
    modules = (is_module(owner) or opaque) and not own
    if name == FLAG and modules and isinstance(value, bool):
        origin = owner.origin if isinstance(owner, Unknown) else None
        because = [Assumption(Kind.IS_MODULE, origin, weight=0)] if origin is not None else []
        note(
            interp,
            Pitfall.FLAG_WITHOUT_EFFECT,
            interp.place(node),
            operator=name,
            assumptions=frozenset(because),
        )
    elif _misspelt(name) and isinstance(value, bool) and not _is_so(owner, value):
        note(interp, Pitfall.FLAG_WITHOUT_EFFECT, interp.place(node), operator=name)


def _is_opaque_module(interp: Interpreter, owner: Unknown) -> bool:
    known = not owner.attributes.keys().isdisjoint({KEY, PART})
    return known and not _found_parameter(interp, owner)


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
    """Whether a tensor is as the flag would make it: it requires no grad, and is told not to."""
    return isinstance(owner, Tensor) and owner.requires_grad is None and not value


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
