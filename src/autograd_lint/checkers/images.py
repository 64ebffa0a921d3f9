"""Where a function of one number leads an interval, and from where it leads there.

Tensors that are computed from one another element by element (`x - 1`, `1 / x`, `x.abs()`) have one
root in common: a condition on one of them says something about all others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from math import inf

from autograd_lint.checkers.intervals import Interval
from autograd_lint.immutable import immutable

Intervals = tuple[Interval, ...]
Mapping = Callable[[Interval], Intervals]


@immutable
class Step:
    """One function of a number, on intervals: there and back."""

    forward: Mapping
    backward: Mapping


def image(steps: Iterable[Step], intervals: Intervals) -> Intervals:
    """Where several functions, one after the other, lead some intervals."""
    for step in steps:
        intervals = tuple(part for one in intervals for part in step.forward(one))
    return intervals


def preimage(steps: tuple[Step, ...], intervals: Intervals) -> Intervals:
    """From where they lead into these intervals."""
    for step in reversed(steps):
        intervals = tuple(part for one in intervals for part in step.backward(one))
    return intervals


def shifted(by: float) -> Step:
    """`x + by`."""
    return Step(_rising(lambda x: x + by), _rising(lambda x: x - by))


def scaled(by: float) -> Step:
    """`x * by`, for what is not zero."""
    turn = _rising if by > 0 else _falling
    return Step(turn(lambda x: x * by), turn(lambda x: x / by))


def clamped(low: float, high: float) -> Step:
    """`x.clamp(low, high)`."""

    def back(one: Interval) -> Intervals:
        inside = one.meeting(Interval(low, high))
        if inside is None:
            return ()
        below, above = inside.holds(low), inside.holds(high)
        return (
            Interval(
                -inf if below else inside.low,
                inf if above else inside.high,
                inside.low_open and not below,
                inside.high_open and not above,
            ),
        )

    def there(one: Interval) -> Intervals:
        first, last = (min(max(end, low), high) for end in (one.low, one.high))
        opens = (one.low_open and low <= one.low < high, one.high_open and low < one.high <= high)
        return (Interval(first, last, *opens),)

    return Step(there, back)


def _rising(function: Callable[[float], float]) -> Mapping:
    return lambda one: (
        Interval(function(one.low), function(one.high), one.low_open, one.high_open),
    )


def _falling(function: Callable[[float], float]) -> Mapping:
    return lambda one: (
        Interval(function(one.high), function(one.low), one.high_open, one.low_open),
    )


def _reciprocal(one: Interval) -> Intervals:
    halves = (one.meeting(Interval(-inf, 0.0, False, True)), one.meeting(Interval(0.0, inf, True)))
    return tuple(
        Interval(_over(half.high, half), _over(half.low, half), half.high_open, half.low_open)
        for half in halves
        if half is not None
    )


def _over(end: float, half: Interval) -> float:
    if end == 0:
        return -inf if half.low < 0 else inf
    return 1 / end


def _folded(there: Callable[[float], float], back: Callable[[float], float]) -> Step:
    """An even function that rises from zero on."""

    def forward(one: Interval) -> Intervals:
        halves = (one.meeting(Interval(-inf, 0.0)), one.meeting(Interval(0.0, inf)))
        falling, rising = _falling(there), _rising(there)
        left = falling(halves[0]) if halves[0] is not None else ()
        return (*left, *(rising(halves[1]) if halves[1] is not None else ()))

    def backward(one: Interval) -> Intervals:
        inside = one.meeting(Interval(0.0, inf))
        if inside is None:
            return ()
        right = _rising(back)(inside)[0]
        return (right, *_falling(lambda x: -x)(right))

    return Step(forward, backward)


def _exponential(x: float) -> float:
    return inf if x > OVERFLOWS else math.exp(x)


def _logarithm(x: float) -> float:
    return math.log(x) if x > 0 else -inf


OVERFLOWS = 700.0  # the exponential of a Python float is infinite from about there on
INVERSE = Step(_reciprocal, _reciprocal)
SAME = Step(lambda one: (one,), lambda one: (one,))
FUNCTIONS: dict[str, Step] = {
    "neg": scaled(-1.0),
    "reciprocal": INVERSE,
    "square": _folded(lambda x: x * x, math.sqrt),
    "abs": _folded(abs, abs),
    "relu": clamped(0.0, inf),
    "exp": Step(_rising(_exponential), _rising(_logarithm)),
}
# What leaves each number as it is.
for _name in ("clone", "view", "reshape", "unsqueeze", "squeeze", "contiguous", "alias"):
    FUNCTIONS[_name] = SAME
