"""Shapes of what linear algebra makes of matrices, the last two dimensions of what is given.

Source: the pages of `torch.linalg`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from autograd_lint.engine.shapes import Shape, Size, Sizes, broadcast
from autograd_lint.libraries.shapes.arguments import Arguments, Rule, position
from autograd_lint.libraries.shapes.joining import shapes_in
from autograd_lint.libraries.shapes.products import matmul
from autograd_lint.libraries.shapes.reductions import reduce
from autograd_lint.vm.values import Items, Value


def _number(shape: Sizes, arguments: Arguments) -> Shape:
    """One number for each matrix."""
    return shape[:-2] if len(shape) >= 2 else None


def _row(shape: Sizes, arguments: Arguments) -> Shape:
    """One row of numbers for each square matrix."""
    return shape[:-1] if len(shape) >= 2 else None


def _singular_values(shape: Sizes, arguments: Arguments) -> Shape:
    return (*shape[:-2], _shorter(shape)) if len(shape) >= 2 else None


def _shorter(shape: Sizes) -> Size:
    rows, columns = shape[-2], shape[-1]
    return None if rows is None or columns is None else min(rows, columns)


def _inverted(shape: Sizes, arguments: Arguments) -> Shape:
    """`pinv`: rows and columns are exchanged."""
    if len(shape) < 2 or arguments.tensor("1") is not None:  # a tolerance for each matrix
        return None
    return (*shape[:-2], shape[-1], shape[-2])


def _solution(shape: Sizes, arguments: Arguments) -> Shape:
    """`solve(A, B)` of one matrix: what solves it is as large as the right side."""
    right = arguments.shape("1")
    return right if right and len(shape) == 2 else None


def _solved(side: str, matrix: str) -> Rule:
    """As many rows and columns as the right side has, for each of the matrices."""

    def rule(shape: Sizes, arguments: Arguments) -> Shape:
        right, known = arguments.shape(side), arguments.shape(matrix)
        if right is None or known is None or min(len(right), len(known)) < 2:
            return None
        batch = broadcast([right[:-2], known[:-2]])
        return None if batch is None else (*batch, *right[-2:])

    return rule


def _matrix_norm(shape: Sizes, arguments: Arguments) -> Shape:
    dims = arguments.dims("2", len(shape)) if arguments.given("2") else None
    if not arguments.given("2"):
        dims = (len(shape) - 2, len(shape) - 1)
    kept = arguments.get("3", False)
    if dims is None or len(shape) < 2 or not isinstance(kept, bool):
        return None
    return reduce(shape, set(dims), kept)


def _covariance(shape: Sizes, arguments: Arguments) -> Shape:
    """Of each two of the variables, which are rows; of one variable a number."""
    if len(shape) == 2:
        return (shape[0], shape[0]) if shape[0] != 1 else ()
    return () if len(shape) < 2 else None


def _embedded(shape: Sizes, arguments: Arguments) -> Shape:
    """`diag_embed(input, offset, dim1, dim2)`: matrices with the last dimension as diagonal."""
    offset, rank = arguments.number("1", 0), len(shape) + 1
    first = position(arguments.number("2", -2), rank)
    second = position(arguments.number("3", -1), rank)
    if not shape or offset is None or first is None or second is None or first == second:
        return None
    side = None if shape[-1] is None else shape[-1] + abs(offset)
    others = iter(shape[:-1])
    return tuple(side if at in (first, second) else next(others) for at in range(rank))


def _contracted(shape: Sizes, arguments: Arguments) -> Shape:
    """`tensordot(a, b, dims)`: so many last dimensions with as many first ones, or those listed."""
    other, given = arguments.shape("1"), arguments.get("2", 2)
    if other is None:
        return None
    if isinstance(given, Items):
        return _of_listed(shape, other, given)
    count = arguments.number("2", 2)
    if count is None or not 0 <= count <= min(len(shape), len(other)):
        return None
    return (*shape[: len(shape) - count], *other[count:])


def _of_listed(shape: Sizes, other: Sizes, given: Items) -> Shape:
    if len(given.items) != 2 or not given.closed or given.partial:
        return None
    pairs = Arguments({"0": given.items[0], "1": given.items[1]})
    first, second = pairs.dims("0", len(shape)), pairs.dims("1", len(other))
    if first is None or second is None or len(first) != len(second):
        return None
    own = [size for at, size in enumerate(shape) if at not in first]
    return (*own, *(size for at, size in enumerate(other) if at not in second))


def _sum_of_products(shape: Sizes, arguments: Arguments) -> Shape:
    """`addbmm(input, batch1, batch2)`: the products of a batch are added up."""
    left, right = arguments.shape("1"), arguments.shape("2")
    if left is None or right is None or len(left) != 3 or len(right) != 3:
        return None
    return left[1], right[2]


def _added_outer(shape: Sizes, arguments: Arguments) -> Shape:
    """`addr(input, vec1, vec2)`: the outer product of two vectors is added."""
    left, right = arguments.shape("1"), arguments.shape("2")
    return None if left is None or right is None else (*left, *right)


def _kronecker(shape: Sizes, arguments: Arguments) -> Shape:
    other = arguments.shape("1")
    if other is None:
        return None
    rank = max(len(shape), len(other))
    pairs = zip((1,) * (rank - len(shape)) + shape, (1,) * (rank - len(other)) + other, strict=True)
    return tuple(None if None in pair else (pair[0] or 0) * (pair[1] or 0) for pair in pairs)


def _powers(shape: Sizes, arguments: Arguments) -> Shape:
    """`vander(x, N)`: the powers of each element, as many as there are elements by default."""
    key = "N" if arguments.given("N") else "1"
    if not shape:
        return None
    return (*shape, arguments.number(key) if arguments.given(key) else shape[-1])


def _singular(shape: Sizes, whole: bool | None) -> tuple[Sizes, Sizes, Sizes] | None:
    """What `svd` gives: U, the singular values, and V as columns."""
    if whole is None or len(shape) < 2:
        return None
    *batch, rows, columns = shape
    few = _shorter(shape)
    left, right = (rows, columns) if whole else (few, few)
    return (*batch, rows, left), (*batch, few), (*batch, columns, right)


def _svd(shape: Sizes, arguments: Arguments) -> Sequence[Shape] | None:
    """`svd(input, some)`: as many columns as there are singular values by default."""
    some = arguments.get("1", True)
    return _singular(shape, not some if isinstance(some, bool) else None)


def _transposed_svd(shape: Sizes, arguments: Arguments) -> Sequence[Shape] | None:
    """`linalg.svd(A, full_matrices)`: all columns by default, and V transposed."""
    full = arguments.get("1", True)
    found = _singular(shape, full if isinstance(full, bool) else None)
    if found is None:
        return None
    left, values, right = found
    return left, values, (*right[:-2], right[-1], right[-2])


def _orthogonal(shape: Sizes, arguments: Arguments) -> Sequence[Shape] | None:
    """`qr(A, mode)`: Q and R, reduced by default."""
    mode = arguments.get("1", "reduced")
    if len(shape) < 2 or mode not in ("reduced", True):
        return None
    *batch, rows, columns = shape
    few = _shorter(shape)
    return (*batch, rows, few), (*batch, few, columns)


def _symmetric(shape: Sizes, arguments: Arguments) -> Sequence[Shape] | None:
    """`linalg.eigh(A)`: a row of eigenvalues, and as many eigenvectors."""
    return (shape[:-1], shape) if len(shape) >= 2 else None


def of_chain(bound: Mapping[str, Value]) -> Shape:
    """The shape of `linalg.multi_dot(tensors)`: the product of all, one after the other."""
    listed = bound.get("0")
    shapes = shapes_in(listed)
    if shapes is None or (isinstance(listed, Items) and listed.partial):
        return None
    found: Shape = shapes[0]
    for shape in shapes[1:]:
        found = matmul(found, shape)
    return found


FACTORS: dict[str, Callable[[Sizes, Arguments], Sequence[Shape] | None]] = {
    "svd": _svd,
    "linalg.svd": _transposed_svd,
    "qr": _orthogonal,
    "linalg.qr": _orthogonal,
    "linalg.eigh": _symmetric,
    "linalg.eig": _symmetric,
}
RULES: dict[str, Rule] = {
    **dict.fromkeys(("det", "logdet", "linalg.det"), _number),
    **dict.fromkeys(("slogdet", "linalg.slogdet", "linalg.cond", "linalg.matrix_rank"), _number),
    **dict.fromkeys(("linalg.eigvals", "linalg.eigvalsh"), _row),
    "linalg.svdvals": _singular_values,
    **dict.fromkeys(("linalg.pinv", "pinverse"), _inverted),
    "linalg.solve": _solution,
    "linalg.solve_triangular": _solved("1", "0"),
    "cholesky_solve": _solved("0", "1"),
    **dict.fromkeys(("linalg.ldl_solve", "ormqr"), _solved("2", "0")),
    "linalg.matrix_norm": _matrix_norm,
    "cov": _covariance,
    "corrcoef": _covariance,
    "diag_embed": _embedded,
    "tensordot": _contracted,
    "addbmm": _sum_of_products,
    "addr": _added_outer,
    "kron": _kronecker,
    "vander": _powers,
    "linalg.vander": _powers,
}
