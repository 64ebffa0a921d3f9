"""Shapes of what joins or repeats tensors: `cat`, `stack`, `repeat`, `pad`."""

from __future__ import annotations

from collections.abc import Mapping

from autograd_lint.engine.shapes import Shape, Size, Sizes, numel
from autograd_lint.libraries.shapes.arguments import (
    Arguments,
    Rule,
    position,
    replaced,
    sequence,
    whole,
)
from autograd_lint.vm.contents import tensor_of
from autograd_lint.vm.values import Items, Value


def shapes_in(value: Value) -> list[Sizes] | None:
    """The shapes of the tensors of a list; None where one is not known."""
    if not isinstance(value, Items) or not value.closed or not value.items:
        return None
    found: list[Sizes] = []
    for item in value.items:
        tensor = tensor_of(item)
        if tensor is None or tensor.shape is None:
            return None
        found.append(tensor.shape)
    return found


def concatenated(bound: Mapping[str, Value]) -> Shape:
    """The shape of `cat(tensors, dim)`."""
    parts = shapes_in(bound.get("0"))
    if parts is None:
        return None
    # An old habit of `cat`: empty vectors are left out whatever the other shapes are.
    parts = [part for part in parts if part != (0,)] or parts
    at = position(whole(bound.get("1", 0)), len(parts[0]))
    if at is None or any(len(part) != len(parts[0]) for part in parts) or not parts[0]:
        return None
    return replaced(parts[0], at, _joined(bound.get("0"), [part[at] for part in parts]))


def _total(sizes: list[Size]) -> Size:
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


def _joined(listed: Value, sizes: list[Size]) -> Size:
    """The sum of the sizes of what is joined; a list to which more may belong has no known one."""
    return None if isinstance(listed, Items) and listed.partial else _total(sizes)


def stacked(bound: Mapping[str, Value]) -> Shape:
    """The shape of `stack(tensors, dim)`."""
    parts = shapes_in(bound.get("0"))
    if parts is None:
        return None
    at = position(whole(bound.get("1", 0)), len(parts[0]) + 1)
    count = _joined(bound.get("0"), [1] * len(parts))
    return None if at is None else (*parts[0][:at], count, *parts[0][at:])


def lined_up(name: str, bound: Mapping[str, Value]) -> Shape:
    """The shapes of `hstack`, `vstack` and `pad_sequence`, of which some sizes are not computed."""
    parts = shapes_in(bound.get("0"))
    if parts is None or any(len(part) != len(parts[0]) for part in parts):
        return None
    first, listed = parts[0], bound.get("0")
    if name == "hstack":
        at = max(min(len(first), 2) - 1, 0)
        parts = [part or (1,) for part in parts]
        return replaced(parts[0], at, _joined(listed, [part[at] for part in parts]))
    if name == "nn.utils.rnn.pad_sequence":
        return (None, None, *first[1:]) if first else None
    if len(first) < 2:
        return (_joined(listed, [1] * len(parts)), *(first or (1,)))
    return replaced(first, 0, _joined(listed, [part[0] for part in parts]))


def _repeat(shape: Sizes, arguments: Arguments) -> Shape:
    times = arguments.sizes()
    if times is None or len(times) < len(shape):
        return None
    sizes = (1,) * (len(times) - len(shape)) + shape
    return tuple(_product(size, time) for size, time in zip(sizes, times, strict=True))


def _repeat_interleave(shape: Sizes, arguments: Arguments) -> Shape:
    times = arguments.number("1" if arguments.given("1") else "repeats")
    if not arguments.given("2"):
        return (_product(numel(shape), times),)
    at = position(arguments.number("2"), len(shape))
    return None if at is None or not shape else replaced(shape, at, _product(shape[at], times))


def _tile(shape: Sizes, arguments: Arguments) -> Shape:
    times = arguments.sizes()
    if times is None:
        return None
    rank = max(len(times), len(shape))
    sizes = (1,) * (rank - len(shape)) + shape
    times = (1,) * (rank - len(times)) + times
    return tuple(_product(size, time) for size, time in zip(sizes, times, strict=True))


def _product(size: Size, time: Size) -> Size:
    return None if size is None or time is None else size * time


def _pad(shape: Sizes, arguments: Arguments) -> Shape:
    given = arguments.get("1")
    widths = sequence(given) if isinstance(given, Items) else None
    return None if widths is None else padded(shape, widths)


def padded(shape: Sizes, widths: Sizes) -> Shape:
    """The shape with so many more before and after, of the last dimension first."""
    if len(widths) > 2 * len(shape):
        return None
    sizes = list(shape)
    for index, (before, after) in enumerate(zip(widths[::2], widths[1::2], strict=False)):
        sizes[-1 - index] = _total([sizes[-1 - index], before, after])
    return tuple(sizes)


RULES: dict[str, Rule] = {
    "repeat": _repeat,
    "repeat_interleave": _repeat_interleave,
    "tile": _tile,
    "nn.functional.pad": _pad,
    "constant_pad_nd": _pad,
}
