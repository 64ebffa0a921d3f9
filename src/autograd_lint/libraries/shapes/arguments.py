"""Arguments as rules about shapes read them: numbers, sizes, shapes of tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from autograd_lint.engine.shapes import Shape, Size, Sizes
from autograd_lint.engine.tensor import Tensor
from autograd_lint.immutable import immutable
from autograd_lint.vm.values import Items, Slice, Unknown, Value, by_default


@immutable
class Arguments:
    """The arguments of one call by the table's keys."""

    bound: Mapping[str, Value]

    def get(self, key: str, default: Value = None) -> Value:
        """The value at a key, the default where it is absent."""
        return self.bound.get(key, default)

    def given(self, key: str) -> bool:
        """Whether there is anything at a key but None."""
        return self.bound.get(key) is not None

    def number(self, key: str, default: int | None = None) -> int | None:
        """A whole number; None where it is not known."""
        return whole(self.bound.get(key, default))

    def shape(self, key: str) -> Shape:
        """The shape of the tensor at a key; None where it is not known."""
        value = self.tensor(key)
        return value.shape if value is not None else None

    def tensor(self, key: str) -> Tensor | None:
        """The tensor at a key."""
        value = self.bound.get(key)
        if isinstance(value, Unknown):
            value = value.tensor
        return value if isinstance(value, Tensor) else None

    def sizes(self, first: int = 1) -> Shape:
        """Sizes given one by one from a position on, or as one sequence.

        A single size that is not known may be a whole sequence: then nothing is known.
        """
        values: list[Value] = []
        while str(first + len(values)) in self.bound:
            values.append(self.bound[str(first + len(values))])
        if len(values) == 1 and isinstance(values[0], Items):
            return sequence(values[0])
        if len(values) == 1 and isinstance(values[0], Unknown) and values[0].hint != "int":
            return None
        return tuple(whole(value) for value in values) if values else None

    def dims(self, key: str, rank: int) -> tuple[int, ...] | None:
        """Dimensions given as a number or a sequence of them, counted from 0."""
        value = self.bound.get(key)
        given = sequence(value) if isinstance(value, Items) else (whole(value),)
        if given is None:
            return None
        found = [position(dim, rank) for dim in given]
        return None if None in found else tuple(dim for dim in found if dim is not None)


# From the shape of the first argument and all arguments to the shape of the result.
Rule = Callable[[Sizes, Arguments], Shape]


def whole(value: Value) -> int | None:
    """The value as a whole number, if it is one that is known, or an option by default."""
    value = by_default(value)
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else None


def sequence(items: Items) -> Shape:
    """A sequence of sizes; None where its length is not known."""
    return (
        tuple(whole(item) for item in items.items) if items.closed and not items.partial else None
    )


def position(dim: int | None, rank: int) -> int | None:
    """A dimension counted from 0; None where there is no such dimension."""
    if dim is None or not -max(rank, 1) <= dim < max(rank, 1):
        return None
    return dim % max(rank, 1)


def replaced(shape: Sizes, dim: int, *sizes: Size) -> Sizes:
    """The shape with other sizes, any number of them, in the place of one."""
    return (*shape[:dim], *sizes, *shape[dim + 1 :])


def times(size: Size, factor: int) -> Size:
    """A size of which there are so many; not known where the size is not."""
    return None if size is None else size * factor


def sliced(size: Size, part: Slice) -> Size:
    """How many elements a slice takes of so many."""
    known = part.known
    if size is None or known is None:
        return None
    try:
        return len(range(size)[known])
    except ValueError:
        return None
