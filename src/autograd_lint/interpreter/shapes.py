"""Shapes of results where they are cheap to know."""

from __future__ import annotations

from autograd_lint.engine.shapes import Shape, Size, numel
from autograd_lint.engine.tensor import Tensor
from autograd_lint.interpreter.values import Items, Slice, Unknown, Value

SAME = {
    "clone",
    "detach",
    "contiguous",
    "softmax",
    "log_softmax",
    "cumsum",
    "cumprod",
    "to",
    "float",
    "double",
    "half",
    "type",
    "cpu",
    "cuda",
    "type_as",
    "nn.functional.softmax",
    "nn.functional.log_softmax",
    "nn.functional.layer_norm",
    "nn.functional.dropout",
    "nn.LayerNorm",
    "nn.BatchNorm1d",
    "nn.BatchNorm2d",
    "nn.Dropout",
    "flip",
    "roll",
    "tril",
    "triu",
    "masked_fill",
    "sort",
}
TRANSPOSING = {"t", "T", "mT", "transpose", "permute", "swapaxes", "swapdims", "movedim"}
EXPANDING = {"expand", "expand_as", "broadcast_to"}
STRIDE_KEEPING = {"view", "unsqueeze", "squeeze", "unflatten", "view_as"}
MATMUL = {"matmul", "__matmul__", "mm", "mv", "bmm"}
LINEAR = {"nn.functional.linear", "nn.Linear"}
TRANSPOSED = {"t", "T", "Tensor.T", "Tensor.t"}
RESHAPING = {"view", "reshape", "Tensor.view", "Tensor.reshape"}
REDUCTIONS = {
    "sum",
    "mean",
    "amax",
    "amin",
    "max",
    "min",
    "norm",
    "std",
    "var",
    "logsumexp",
    "prod",
    "median",
    "nn.functional.cross_entropy",
}


def infer_shapes(name: str, bound: dict[str, Value], results: list[Tensor]) -> None:
    """Give the results of an operator their shapes, where the table could not."""
    first = bound.get("0")
    if not results or not isinstance(first, Tensor) or results[0] is first:
        return
    bare = name.removeprefix("Tensor.")
    _strides(bare, first, results)
    shape = _shape(bare, first.shape, bound) if first.shape is not None else None
    if shape is None:
        return
    for result in results:
        if result.shape is None:
            result.shape = shape
        if bare in EXPANDING:
            result.expanded = (numel(shape) or 0) > (numel(first.shape) or 1)


def _strides(name: str, first: Tensor, results: list[Tensor]) -> None:
    """Which views are known to lie contiguously in memory, and which are known not to."""
    for result in results:
        if name in TRANSPOSING:
            result.contiguous = False if first.shape is None or _turns(first.shape) else None
        elif name in EXPANDING:
            result.contiguous = False
        elif name in STRIDE_KEEPING:
            result.contiguous = first.contiguous


def _turns(shape: tuple[Size, ...]) -> bool:
    return sum(size != 1 for size in shape) >= 2


def _shape(name: str, shape: tuple[Size, ...], bound: dict[str, Value]) -> Shape:
    if name in SAME:
        return shape
    if name in MATMUL:
        other = bound.get("1")
        return matmul(shape, other.shape) if isinstance(other, Tensor) else None
    if name in LINEAR:
        weight = bound.get("1", bound.get("weight"))
        known = weight.shape if isinstance(weight, Tensor) else None
        return (*shape[:-1], known[0] if known else None)
    if name in TRANSPOSED:
        return shape[::-1]
    if name in ("transpose", "swapaxes") and len(shape) == 2:
        return shape[::-1]
    if name in RESHAPING:
        return reshaped(shape, bound)
    if name == "flatten" and set(bound) == {"0"}:
        return (numel(shape),)
    if name in ("squeeze", "unsqueeze"):
        return _squeezed(name, shape, bound)
    if name == "expand_as":
        other = bound.get("1")
        return other.shape if isinstance(other, Tensor) else None
    if name in ("expand", "broadcast_to"):
        return _sizes([bound[key] for key in sorted(bound) if key != "0"])
    return _reduced(shape, bound) if name in REDUCTIONS else None


def matmul(left: Shape, right: Shape) -> Shape:
    """The shape of a matrix product of vectors or matrices."""
    if left is None or right is None or not left or not right:
        return None
    if len(left) > 2 or len(right) > 2:
        return None
    return (*left[:-1], *right[1:])


def _sizes(values: list[Value]) -> Shape:
    if len(values) == 1 and isinstance(values[0], Items):
        values = values[0].items
    return tuple(value if isinstance(value, int) else None for value in values)


def reshaped(shape: tuple[Size, ...], bound: dict[str, Value]) -> Shape:
    """The shape after `view` or `reshape`, one size of which may be -1."""
    sizes = _sizes([bound[key] for key in sorted(bound) if key.isdigit() and key != "0"])
    if sizes is None:
        return None
    total = numel(shape)
    others = numel(tuple(size for size in sizes if size != -1))
    missing = total // others if total is not None and others else None
    return tuple(missing if size == -1 else size for size in sizes)


def _squeezed(name: str, shape: tuple[Size, ...], bound: dict[str, Value]) -> Shape:
    dim = bound.get("1")
    if name == "squeeze" and dim is None:
        return tuple(size for size in shape if size != 1) if None not in shape else None
    if not isinstance(dim, int):
        return None
    if name == "unsqueeze":
        position = dim if dim >= 0 else dim + len(shape) + 1
        return (*shape[:position], 1, *shape[position:])
    position = dim % len(shape) if shape else 0
    return (*shape[:position], *shape[position + 1 :]) if shape[position] == 1 else shape


def _reduced(shape: tuple[Size, ...], bound: dict[str, Value]) -> Shape:
    dims = bound.get("1", bound.get("dim"))
    if dims is None or isinstance(dims, Tensor):
        return None
    wanted = dims.items if isinstance(dims, Items) else [dims]
    if not all(isinstance(dim, int) for dim in wanted) or not shape:
        return None
    positions = {dim % len(shape) for dim in wanted}
    keep = bound.get("keepdim", bound.get("2", False))
    if isinstance(keep, Unknown):
        return None
    if keep is True:
        return tuple(1 if i in positions else size for i, size in enumerate(shape))
    return tuple(size for i, size in enumerate(shape) if i not in positions)


def indexed(shape: Shape, index: Value) -> Shape:
    """The shape of `x[index]` for a basic index."""
    if shape is None:
        return None
    parts = index.items if isinstance(index, Items) and index.kind == "tuple" else [index]
    sizes, position = [], 0
    for part in parts:
        if part is None:
            sizes.append(1)
        elif isinstance(part, (int, Unknown)) and not isinstance(part, bool):
            position += 1
        elif isinstance(part, Slice) and position < len(shape):
            sizes.append(_sliced(shape[position], part))
            position += 1
        else:
            return None
    return (*sizes, *shape[position:]) if position <= len(shape) else None


def _sliced(size: Size, part: Slice) -> Size:
    bounds = (part.lower, part.upper, part.step)
    if size is None or not all(bound is None or isinstance(bound, int) for bound in bounds):
        return None
    try:
        return len(range(size)[slice(*bounds)])
    except ValueError:
        return None
