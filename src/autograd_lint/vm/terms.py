"""What a loss was put together of, where nothing is known of it until backward begins there.

losses = model.losses(batch)              # nobody knows what this gives
total = sum(losses.values())
total.backward()                          # now it is known: tensors with a graph
meter.update(losses)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import NOT_TENSORS, UNIQUE, VALUE_OF, Items, Unknown, Value

_TERMS = "terms"  # of a sum or product, what went into it
_TERM = "term of a loss"  # of a value, or of a dictionary, that backward has begun at a sum of it
_LOSS = re.compile(r"loss|nll|elbo", re.IGNORECASE)
_LAST_NAMES = re.compile(r"\w+(?:\[['\"]\w+['\"]\])?$")  # `losses["box"]`
LISTING = ("items", "values")  # methods of dictionaries
_MOST = 32  # sums and terms that are looked through
_LINEAR = {"add", "sub", "mul", "truediv"}  # what losses are put together by


def remember_operands(result: Unknown, operator: str, operands: list[Value]) -> None:
    """Take note of what went into a result; what it is divided by is no term."""
    if operator in _LINEAR:
        kept = operands[:1] if operator == "truediv" else operands
        result.attributes[_TERMS] = Items("list", kept)


def terms_of(loss: Unknown) -> Iterator[Unknown]:
    """What was added up in a value, of which nothing is known; itself where that is nothing."""
    stack = [loss]
    for _ in range(_MOST):
        if not stack:
            return
        term = stack.pop()
        inner = _operands(term)
        stack += inner
        if not inner:
            yield term


def _operands(value: Unknown) -> list[Unknown]:
    parts = value.attributes.get(_TERMS)
    found = parts.items if isinstance(parts, Items) else []
    return [one for one in found if isinstance(one, Unknown) and one.hint not in NOT_TENSORS]


@dataclass(slots=True)
class KeysOfTerms:
    """The keys that calls of `losses.items()` give: the same ones for each batch."""

    found: dict[ast.AST, Unknown] = field(default_factory=dict)


def values_of_terms(
    interp: Interpreter, losses: Unknown, method: str, node: ast.AST
) -> Items | None:
    """What `values()` or `items()` gives of a dictionary whose graph backward has walked; None of
    anything else."""
    walked = losses.source is not None and losses.source.walked_at
    if method not in LISTING or not (walked or _TERM in losses.attributes):
        return None
    value = losses.derived("any of its values", f"a value of {losses.origin}")
    value.attributes[VALUE_OF] = losses
    if method == "values":
        return Items("list", [], rest=value)
    key = Unknown(f"a key of {losses.origin}", attributes={UNIQUE: True})
    key = interp.state(KeysOfTerms).found.setdefault(node, key)
    return Items("list", [], rest=Items("tuple", [key, value]))


def take_for_term(value: Unknown) -> None:
    """Backward has begun at a sum of a value; the others in its dictionary are terms as well."""
    value.attributes[_TERM] = True
    whole = value.attributes.get(VALUE_OF)
    if isinstance(whole, Unknown):
        whole.attributes[_TERM] = True


def is_term(value: Unknown) -> bool:
    """Whether a backward has begun at a sum of a value, or of the values of its dictionary."""
    whole = value.attributes.get(VALUE_OF)
    return any(isinstance(one, Unknown) and _TERM in one.attributes for one in (value, whole))


def is_dictionary(value: Unknown) -> bool:
    """Whether the program has asked a value for its values, as one asks a dictionary."""
    return any(("attribute", method) in value.attributes for method in LISTING)


def is_named_as_loss(value: Unknown) -> bool:
    """Whether the name of a value, or of its dictionary, says that it is a loss."""
    of_loss = (value, value.attributes.get(VALUE_OF))
    known = [one for one in of_loss if isinstance(one, Unknown)]
    ends = (_LAST_NAMES.search(name) for one in known for name in (one.origin, one.named))
    return any(end is not None and _LOSS.search(end[0]) is not None for end in ends)
