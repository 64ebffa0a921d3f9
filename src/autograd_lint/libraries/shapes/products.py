"""Shapes of products: matrices, linear maps, convolutions, `einsum`."""

from __future__ import annotations

from collections.abc import Mapping

from autograd_lint.engine.shapes import Shape, Size, Sizes, broadcast
from autograd_lint.libraries.shapes.arguments import Arguments, Rule, position, replaced
from autograd_lint.vm.contents import tensor_of
from autograd_lint.vm.values import Items, Value


def matmul(left: Shape, right: Shape) -> Shape:
    """The shape of `left @ right`."""
    if left is None or right is None or not left or not right:
        return None
    if len(left) == 1:
        return (*right[:-2], *right[-1:]) if len(right) > 1 else ()
    if len(right) == 1:
        return left[:-1]
    batch = broadcast([left[:-2], right[:-2]])
    return None if batch is None else (*batch, left[-2], right[-1])


def _product(key: str) -> Rule:
    """The product of the first argument and the one at `key`."""

    def rule(shape: Sizes, arguments: Arguments) -> Shape:
        return matmul(shape, arguments.shape(key))

    return rule


def _reversed(shape: Sizes, arguments: Arguments) -> Shape:
    return matmul(arguments.shape("1"), shape)


def _inner(first: str, second: str) -> Rule:
    """The product of two later arguments, to which the first one is added."""

    def rule(shape: Sizes, arguments: Arguments) -> Shape:
        return matmul(arguments.shape(first), arguments.shape(second))

    return rule


def _outer(shape: Sizes, arguments: Arguments) -> Shape:
    other = arguments.shape("1")
    return None if other is None else (*shape, *other)


def _linear(shape: Sizes, arguments: Arguments) -> Shape:
    weight = arguments.tensor("1") or arguments.tensor("weight")
    known = weight.shape if weight is not None else None
    if known is not None and len(known) == 1:
        return shape[:-1]
    return (*shape[:-1], known[0] if known else None)


def _bilinear(shape: Sizes, arguments: Arguments) -> Shape:
    weight = arguments.shape("2")
    return (*shape[:-1], weight[0] if weight else None)


def _distances(shape: Sizes, arguments: Arguments) -> Shape:
    other = arguments.shape("1")
    if other is None or len(shape) < 2 or len(other) < 2:
        return None
    batch = broadcast([shape[:-2], other[:-2]])
    return None if batch is None else (*batch, shape[-2], other[-2])


def _pairs(shape: Sizes, arguments: Arguments) -> Shape:
    """One distance for each pair of rows."""
    rows = shape[0] if len(shape) == 2 else None
    return None if rows is None else (rows * (rows - 1) // 2,)


def _attention(shape: Sizes, arguments: Arguments) -> Shape:
    values = arguments.shape("2")
    if not values or len(shape) < 2:
        return None
    batch = broadcast([shape[:-2], values[:-2]])
    return None if batch is None else (*batch, shape[-2], values[-1])


def _scalar(shape: Sizes, arguments: Arguments) -> Shape:
    return ()


def _vector_dot(shape: Sizes, arguments: Arguments) -> Shape:
    both = broadcast([shape, arguments.shape("1")])
    at = position(arguments.number("dim", -1), len(both or ()))
    return replaced(both, at) if both and at is not None else None


def einsum(bound: Mapping[str, Value]) -> Shape:
    """The shape of `einsum(equation, *operands)`; None with ellipses or unknown operands."""
    equation = bound.get("0")
    operands = [bound[key] for key in sorted(bound, key=_order) if key not in ("0", "out")]
    if len(operands) == 1 and isinstance(operands[0], Items):
        operands = operands[0].items
    if not isinstance(equation, str) or "." in equation:
        return None
    left, arrow, right = equation.replace(" ", "").partition("->")
    sizes: dict[str, Size] = {}
    for letters, operand in zip(left.split(","), operands, strict=False):
        tensor = tensor_of(operand)
        if tensor is None or tensor.shape is None:
            return None
        sizes.update(zip(letters, tensor.shape, strict=False))
    if not arrow:
        right = "".join(letter for letter in sorted(sizes) if left.count(letter) == 1)
    return tuple(sizes.get(letter) for letter in right)


def _order(key: str) -> int:
    return int(key) if key.isdigit() else 0


def _inner_product(shape: Sizes, arguments: Arguments) -> Shape:
    """The last dimensions are folded with each other, all others stay."""
    other = arguments.shape("1")
    if other is None:
        return None
    return (*shape[:-1], *other[:-1]) if shape and other else (*shape, *other)


RULES: dict[str, Rule] = {
    **{name: _product("1") for name in ("matmul", "__matmul__", "mm", "mv", "bmm")},
    **{name: _inner("1", "2") for name in ("addmm", "addmv", "baddbmm")},
    **dict.fromkeys(("nn.functional.linear", "nn.Linear"), _linear),
    **dict.fromkeys(("dot", "vdot", "trace", "dist"), _scalar),
    **dict.fromkeys(("bilinear", "nn.functional.bilinear"), _bilinear),
    "linalg.matmul": _product("1"),
    "__rmatmul__": _reversed,
    "linalg.vecdot": _vector_dot,
    "inner": _inner_product,
    "outer": _outer,
    "ger": _outer,
    "cdist": _distances,
    "pdist": _pairs,
    "nn.functional.pdist": _pairs,
    "nn.functional.scaled_dot_product_attention": _attention,
}
