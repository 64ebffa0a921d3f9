"""Where functions have no finite derivative, and what conditions say about a value."""

from __future__ import annotations

from math import inf

from autograd_lint.immutable import immutable


@immutable
class Interval:
    """The numbers between two ends, which belong to it unless they are `open`."""

    low: float
    high: float
    low_open: bool = False
    high_open: bool = False

    def meets(self, other: Interval) -> bool:
        """Whether both have a number in common."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        if low != high:
            return low < high
        at_ends = [
            (self.low, self.low_open),
            (self.high, self.high_open),
            (other.low, other.low_open),
            (other.high, other.high_open),
        ]
        return not any(end == low and is_open for end, is_open in at_ends)

    def meeting(self, other: Interval) -> Interval | None:
        """What both have in common."""
        if not self.meets(other):
            return None
        low, low_open = max((self.low, self.low_open), (other.low, other.low_open))
        high, closed = min((self.high, not self.high_open), (other.high, not other.high_open))
        return Interval(low, high, low_open, not closed)

    def holds(self, number: float) -> bool:
        """Whether a number belongs to it."""
        return self.meets(Interval(number, number))

    def ends_with(self, other: Interval) -> bool:
        """Whether an end of the one is an end of the other, or a hair beside it."""
        return any(
            abs(end - bound) <= HAIR
            for end in (self.low, self.high)
            for bound in (other.low, other.high)
            if abs(end) != inf and abs(bound) != inf
        )


HAIR = 1e-3  # what is added lest something be zero
OVERFLOW = Interval(88.0, inf)  # exp of a float32 is infinite from there on
TO_ZERO = Interval(-inf, 0.0)
ZERO = Interval(0.0, 0.0)
OUTSIDE_ONE = (Interval(-inf, -1.0), Interval(1.0, inf))

# Where the derivative of a function is infinite or not a number.
SINGULAR: dict[str, tuple[Interval, ...]] = {
    **dict.fromkeys(("sqrt", "rsqrt", "log", "log2", "log10", "lgamma"), (TO_ZERO,)),
    "log1p": (Interval(-inf, -1.0),),
    "reciprocal": (ZERO,),
    **dict.fromkeys(("exp", "expm1", "exp2", "sinh", "cosh"), (OVERFLOW,)),
    **dict.fromkeys(("acos", "asin", "arccos", "arcsin", "atanh", "arctanh"), OUTSIDE_ONE),
    **dict.fromkeys(("acosh", "arccosh"), (Interval(-inf, 1.0),)),
    "logit": (TO_ZERO, Interval(1.0, inf)),
}


def holding(kind: str, bound: float) -> Interval:
    """The numbers for which a comparison with `bound` holds; all of them for `ne`."""
    return {
        "gt": Interval(bound, inf, True),
        "ge": Interval(bound, inf),
        "lt": Interval(-inf, bound, False, True),
        "le": Interval(-inf, bound),
        "eq": Interval(bound, bound),
        "ne": Interval(-inf, inf),
    }[kind]


OPPOSITE = {"gt": "le", "le": "gt", "lt": "ge", "ge": "lt", "eq": "ne", "ne": "eq"}

# Between which numbers the results of a function lie.
RANGES: dict[str, Interval] = {
    **dict.fromkeys(("sigmoid", "softmax", "Sigmoid", "Softmax"), Interval(0.0, 1.0)),
    **dict.fromkeys(("tanh", "Tanh", "sin", "cos"), Interval(-1.0, 1.0)),
    **dict.fromkeys(("cosine_similarity", "CosineSimilarity"), Interval(-1.0, 1.0)),
    **dict.fromkeys(("softplus", "Softplus", "cosh"), Interval(0.0, inf, True)),
}
