"""Sets and orders of plain constants as Python has them, and sets of parameters."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable

from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.integers import known_constant
from autograd_lint.vm.plain import plain
from autograd_lint.vm.scope import Missing
from autograd_lint.vm.values import Items, Value, constant

_LONGEST = 1_000  # elements that are put in order
_ALGEBRA: dict[str, Callable[[set[Value], set[Value]], set[Value]]] = {
    "sub": operator.sub,
    "difference": operator.sub,
    "and": operator.and_,
    "intersection": operator.and_,
    "or": operator.or_,
    "union": operator.or_,
    "xor": operator.xor,
    "symmetric_difference": operator.xor,
}


def once_each(items: Iterable[Value]) -> list[Value]:
    """The elements of a set: of equal constants there is one, and of the same parameter."""
    found: list[Value] = []
    known: set[Value] = set()
    for item in items:
        if not is_kept_once(item):
            found.append(item)
        elif item not in known:
            known.add(item)
            found.append(item)
    return found


def is_kept_once(value: Value) -> bool:
    """Whether a set is known to hold a value once, however often it is put in."""
    return constant(value) or is_parameter(value)


def is_parameter(value: Value) -> bool:
    """Whether it is a parameter, which stays one object: in sets it is found by its identity.

    Source: `Tensor.__hash__` in torch/_tensor.py.
    """
    return isinstance(value, Tensor) and value.parameter


def of_sets(name: str, left: Items, right: Value) -> Items | None:
    """What an operator or method makes of two sets of constants or parameters; None for others.

    What there may be beside them, as the parameters of a module whose code is not seen, is taken
    for something else than the elements that are known.
    """
    compute = _ALGEBRA.get(name)
    if compute is None or left.kind != "set" or not isinstance(right, Items):
        return None
    if not (_are_known(left) and _are_known(right)):
        return None
    kept = compute(set(left.items), set(right.items))
    rest = left.rest if compute is operator.sub or left.rest is not None else right.rest
    items = [one for one in once_each([*left.items, *right.items]) if one in kept]
    return Items("set", items, rest)


def in_order(items: list[Value], keys: list[Value], *, reverse: bool) -> list[Value]:
    """The elements as `sorted` gives them, where what they go by is known altogether; else as they
    are."""
    known = [plain(key) for key in keys] if len(items) <= _LONGEST else []
    if not known or any(isinstance(key, Missing) for key in known):
        return items
    pairs = zip(known, items, strict=True)
    try:
        ordered = sorted(pairs, key=lambda pair: pair[0], reverse=reverse)  # type: ignore[arg-type,return-value]
    except TypeError:
        return items
    return [item for _, item in ordered]


def _are_known(items: Items) -> bool:
    """Whether the elements of a set that it is known to have can be told apart."""
    known = all(known_constant(item) or is_parameter(item) for item in items.items)
    return known and not items.partial
