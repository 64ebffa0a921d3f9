"""Shapes of what picks elements: by an index, a mask, in order of size."""

from __future__ import annotations

from autograd_lint.engine.shapes import Shape, Sizes, broadcast, numel
from autograd_lint.libraries.shapes.arguments import Arguments, Rule, position, replaced


def _select(shape: Sizes, arguments: Arguments) -> Shape:
    index = arguments.shape("2")
    at = position(arguments.number("1"), len(shape))
    if at is None or index is None or not shape:
        return None
    return replaced(shape, at, index[0] if index else 1)


def _of_index(key: str) -> Rule:
    def rule(shape: Sizes, arguments: Arguments) -> Shape:
        return arguments.shape(key)

    return rule


def _along(shape: Sizes, arguments: Arguments) -> Shape:
    """`take_along_dim(input, indices, dim)`: a vector where no dimension is named."""
    index = arguments.shape("1")
    if index is None or not arguments.given("2"):
        return None if index is None else (numel(index),)
    at = position(arguments.number("2"), len(shape))
    if at is None or not shape or len(index) != len(shape):
        return None
    both = broadcast([replaced(shape, at, 1), replaced(index, at, 1)])
    return None if both is None else replaced(both, at, index[at])


def _searched(shape: Sizes, arguments: Arguments) -> Shape:
    """`searchsorted(sorted_sequence, input)`: a place for each value."""
    return arguments.shape("1") if arguments.tensor("1") is not None else ()


def _embedding(shape: Sizes, arguments: Arguments) -> Shape:
    weight = arguments.tensor("1") or arguments.tensor("weight")
    known = weight.shape if weight is not None else None
    return (*shape, known[-1] if known else None)


def _topk(shape: Sizes, arguments: Arguments) -> Shape:
    at = position(arguments.number("2", -1), len(shape))
    return None if at is None or not shape else replaced(shape, at, arguments.number("1"))


def _masked(shape: Sizes, arguments: Arguments) -> Shape:
    return (None,)


def _nonzero(shape: Sizes, arguments: Arguments) -> Shape:
    return None if arguments.given("as_tuple") else (None, len(shape))


def _diagonal_or_matrix(shape: Sizes, arguments: Arguments) -> Shape:
    """`diag`: a matrix of a vector, the diagonal of a matrix."""
    offset = arguments.number("1", 0)
    if offset is None or None in shape or not shape:
        return None
    if len(shape) == 1:
        size = (shape[0] or 0) + abs(offset)
        return (size, size)
    return diagonal_shape(shape, offset, 0, 1)


def diagonal_shape(shape: Sizes, offset: int, first: int, second: int) -> Shape:
    """The shape of a diagonal: the two dimensions go, its length comes last."""
    rows, columns = shape[first], shape[second]
    others = tuple(size for i, size in enumerate(shape) if i not in (first, second))
    if rows is None or columns is None:
        return (*others, None)
    length = min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns)
    return (*others, max(length, 0))


def _one_hot(shape: Sizes, arguments: Arguments) -> Shape:
    classes = arguments.number("1", -1)
    return (*shape, None if classes is None or classes < 0 else classes)


def _where(shape: Sizes, arguments: Arguments) -> Shape:
    shapes = [shape]
    for key in ("1", "2"):
        if (tensor := arguments.tensor(key)) is not None:
            shapes.append(tensor.shape)  # type: ignore[arg-type]
        elif not isinstance(arguments.get(key), (int, float)):
            return None
    return broadcast(shapes)


def _counts(shape: Sizes, arguments: Arguments) -> Shape:
    """A vector as long as the values tell."""
    return (None,)


def _drawn(shape: Sizes, arguments: Arguments) -> Shape:
    number = arguments.number("1")
    if not shape:
        return None
    return (*shape[:-1], arguments.number("num_samples") if number is None else number)


def _differences(shape: Sizes, arguments: Arguments) -> Shape:
    """`diff(input, n, dim, prepend, append)`: one element less for each time."""
    at = position(arguments.number("2", arguments.number("dim", -1)), len(shape))
    times = arguments.number("1", 1)
    if at is None or not shape or times is None:
        return None
    added = any(arguments.given(key) for key in ("3", "4", "prepend", "append"))
    size = None if added else shape[at]
    return replaced(shape, at, None if size is None else max(size - times, 0))


def _unique(shape: Sizes, arguments: Arguments) -> Shape:
    several = any(arguments.given(key) for key in ("dim", "return_inverse", "return_counts"))
    return None if several or arguments.given("2") else (None,)


RULES: dict[str, Rule] = {
    "index_select": _select,
    "gather": _of_index("2"),
    "take": _of_index("1"),
    "where": _where,
    "nn.functional.embedding": _embedding,
    "nn.Embedding": _embedding,
    "topk": _topk,
    "masked_select": _masked,
    "nonzero": _nonzero,
    "argwhere": _nonzero,
    "bincount": _counts,
    "unique": _unique,
    "unique_consecutive": _unique,
    "multinomial": _drawn,
    "diff": _differences,
    "take_along_dim": _along,
    "searchsorted": _searched,
    "diag": _diagonal_or_matrix,
    "nn.functional.one_hot": _one_hot,
}
