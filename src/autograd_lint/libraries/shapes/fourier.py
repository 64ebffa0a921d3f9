"""Shapes of Fourier transforms: the length of a signal is that of the input, unless one is given.

Source: the pages of `torch.fft.fft`, `torch.fft.rfftn` and their relatives.
"""

from __future__ import annotations

from collections.abc import Callable

from autograd_lint.engine.shapes import Shape, Size, Sizes
from autograd_lint.libraries.shapes.arguments import Arguments, Rule, position, replaced, sequence
from autograd_lint.vm.values import Items

Length = Callable[[Size, Size], Size]
"""From the length of the input and the one that is asked for to that of the result."""


def _whole(size: Size, wanted: Size) -> Size:
    return size if wanted is None else wanted


def _half(size: Size, wanted: Size) -> Size:
    """The transform of real numbers is symmetric: half of it is given."""
    whole = _whole(size, wanted)
    return None if whole is None else whole // 2 + 1


def _doubled(size: Size, wanted: Size) -> Size:
    """The signal that a half belongs to."""
    if wanted is not None or size is None:
        return wanted
    return 2 * (size - 1)


def _along(last: Length) -> Rule:
    """A transform along one dimension, `fft(input, n, dim)`."""

    def rule(shape: Sizes, arguments: Arguments) -> Shape:
        at, wanted = position(arguments.number("2", -1), len(shape)), arguments.number("1")
        if at is None or not shape or (wanted is None and arguments.given("1")):
            return None
        return replaced(shape, at, last(shape[at], wanted))

    return rule


def _over(last: Length, every: Sizes | None) -> Rule:
    """A transform over several dimensions, `fftn(input, s, dim)`: all, or `every` by default, and
    the last of them as `last` says."""

    def rule(shape: Sizes, arguments: Arguments) -> Shape:
        given = arguments.get("1")
        lengths = sequence(given) if isinstance(given, Items) else None
        dims = _dimensions(shape, arguments, lengths, every)
        if dims is None or (lengths is None and arguments.given("1")):
            return None
        sizes = list(shape)
        for number, at in enumerate(dims):
            wanted = None if lengths is None else lengths[number]
            made = last if number == len(dims) - 1 else _whole
            sizes[at] = made(sizes[at], None if wanted == -1 else wanted)
        return tuple(sizes)

    return rule


def _dimensions(
    shape: Sizes, arguments: Arguments, lengths: Shape, every: Sizes | None
) -> tuple[int, ...] | None:
    """The dimensions that are transformed; None where they are not known."""
    if arguments.given("2"):
        dims = arguments.dims("2", len(shape))
    elif every is not None:
        found = [position(at, len(shape)) for at in every]
        dims = tuple(at for at in found if at is not None)
    else:
        count = len(shape) if lengths is None else len(lengths)
        dims = tuple(range(len(shape) - count, len(shape)))
    if not dims or min(dims) < 0:  # more lengths than there are dimensions
        return None
    return dims if lengths is None or len(lengths) == len(dims) else None


_KINDS: dict[str, Length] = {
    "fft": _whole,
    "ifft": _whole,
    "rfft": _half,
    "ihfft": _half,
    "irfft": _doubled,
    "hfft": _doubled,
}

RULES: dict[str, Rule] = {
    **{f"fft.{name}": _along(last) for name, last in _KINDS.items()},
    **{f"fft.{name}n": _over(last, None) for name, last in _KINDS.items()},
    **{f"fft.{name}2": _over(last, (-2, -1)) for name, last in _KINDS.items()},
}
