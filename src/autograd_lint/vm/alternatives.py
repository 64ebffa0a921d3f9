"""Which constants an unknown may be, by what the path has taken it to equal or to be among."""

from __future__ import annotations

from dataclasses import dataclass

from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Items, Unknown, Value, constant

Constants = frozenset[object]
_NOTHING: Constants = frozenset()


@dataclass(frozen=True, slots=True)
class Alternatives:
    """The constants that an unknown is one of (None: any), and those that it is none of."""

    within: Constants | None = None
    without: Constants = _NOTHING

    def learn(self, asked: Constants, taken: bool) -> Alternatives:
        """Take in that it is among some constants, or is not."""
        if not taken:
            return Alternatives(self.within, self.without | asked)
        within = asked if self.within is None else self.within & asked
        return Alternatives(within, self.without)

    def tell(self, asked: Constants) -> bool | None:
        """Whether it is among some constants; None where it may or may not be."""
        if asked <= self.without:
            return False
        left = None if self.within is None else self.within - self.without
        if left is None:
            return None
        if left.isdisjoint(asked):
            return False
        return True if left <= asked else None


def among(interp: Interpreter, value: Unknown, asked: Constants, own: object) -> bool | None:
    """Whether an unknown is one of some constants by answers to other questions than its `own`;
    None where that is open."""
    known = Alternatives()
    for key, answer in value.attributes.items():
        constants = _asked(key)
        if constants is None or key == own or not isinstance(answer, Unknown):
            continue
        taken = interp.choices.decided(answer)
        if taken is not None:
            known = known.learn(constants, taken)
    return known.tell(asked)


def _asked(key: object) -> Constants | None:
    """The constants that a question is about, by the key of its answer."""
    if not isinstance(key, tuple) or len(key) != 2:
        return None
    name, other = key
    if name == "eq" and constant(other):
        return frozenset({other})
    return other if name == "in" and isinstance(other, frozenset) else None


def constants_of(container: Value) -> Constants | None:
    """The elements of a container that are all known constants."""
    if not isinstance(container, Items) or not container.closed or container.partial:
        return None
    return frozenset(container.items) if all(map(constant, container.items)) else None
