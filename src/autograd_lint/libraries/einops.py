"""What `einops` does to a tensor: it is split, permuted, reduced or expanded, and joined again.

Splitting a dimension and putting it elsewhere gives a view; joining dimensions does where the
memory allows it, as for `reshape`. Source: `_apply_recipe` in einops/einops.py.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

from autograd_lint.engine.events import Created
from autograd_lint.engine.shapes import Shape, Size, Sizes, numel
from autograd_lint.engine.tensor import Tensor
from autograd_lint.immutable import immutable
from autograd_lint.libraries.shapes.arguments import whole
from autograd_lint.libraries.torch.operators.apply import apply_operator
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor
from autograd_lint.libraries.torch.tensors.conversions import reshape
from autograd_lint.vm.calls import Call
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import External, Instance, Items, Unknown, Value

LAYERS = "einops.layers.torch."
_TOKENS = re.compile(r"\(|\)|\.\.\.|\w+|[^\s\w]")
_REDUCING = {"mean": "mean", "sum": "sum", "max": "amax", "min": "amin", "prod": "prod"}
_PARTS = {"view", "permute", "reshape", "expand", "clone", *_REDUCING.values()}
OTHERS = "..."  # the dimensions that a pattern does not name

Axes = tuple[str, ...]
Side = tuple[Axes, ...]  # one group of axes for every dimension; an empty one is of size 1


@immutable
class Pattern:
    """`b n (h d) -> b h n d`: the axes of every dimension before and after."""

    left: Side
    right: Side

    def spread(self, rank: int | None) -> Pattern:
        """The same with names for the dimensions that `...` stands for in a tensor of that rank."""
        if rank is None or (OTHERS,) not in self.left:
            return self
        names = tuple(f".{i}" for i in range(rank - len(self.left) + 1))
        return Pattern(_named(self.left, names), _named(self.right, names))


def _named(side: Side, names: Axes) -> Side:
    found: list[Axes] = []
    for group in side:
        if group == (OTHERS,):
            found += [(name,) for name in names]
        elif OTHERS in group:
            at = group.index(OTHERS)
            found.append((*group[:at], *names, *group[at + 1 :]))
        else:
            found.append(group)
    return tuple(found)


@lru_cache(1_000)
def parse(text: str) -> Pattern | None:
    """A pattern by its text; None where it is none."""
    left, arrow, right = text.partition("->")
    sides = _side(left), _side(right)
    return Pattern(sides[0], sides[1]) if arrow and sides[0] is not None and sides[1] else None


def _side(text: str) -> Side | None:
    groups: list[Axes] = []
    inside: list[str] | None = None
    for token in _TOKENS.findall(text):
        if token == "(" and inside is None:
            inside = []
        elif token == ")" and inside is not None:
            groups.append(tuple(inside))
            inside = None
        elif not (token == OTHERS or token.isidentifier() or token == "1"):
            return None
        elif inside is None:
            groups.append(() if token == "1" else (token,))
        elif token != "1":
            inside.append(token)
    return None if inside is not None else tuple(groups)


def rearrange(interp: Interpreter, call: Call) -> Value:
    """`einops.rearrange`, `repeat` and `reduce`."""
    text = call.get(1, "pattern")
    return _run(interp, call, call.get(0, "tensor"), text, call.get(2, "reduction"), call.keywords)


def contract(interp: Interpreter, call: Call) -> Value:
    """`einops.einsum(tensor, ..., pattern)`, which is `torch.einsum` of other letters."""
    tensors = [as_tensor(interp, value) for value in call.args[:-1]]
    equation = Unknown("an equation", "string")
    return apply_operator(interp, "torch.einsum", [equation, *tensors], {}, call.node)


def pack(interp: Interpreter, call: Call) -> Value:
    """`einops.pack(tensors, pattern)`: the tensors joined, and of what sizes they were."""
    given = call.get(0, "tensors")
    tensors = list(given.items) if isinstance(given, Items) and given.closed else [given]
    flat = [tensor for tensor in map(partial(as_tensor, interp), tensors) if tensor is not None]
    sizes = Unknown("the sizes of what is packed", hint="shape")
    if not flat or len(flat) < len(tensors):
        source = next((tensor.node for tensor in flat), None)
        return Items("tuple", [Unknown(interp.text(call.node), source=source), sizes])
    joined = apply_operator(interp, "torch.cat", [Items("list", list(flat))], {}, call.node)
    if isinstance(joined, Tensor):
        joined.shape = None
    return Items("tuple", [joined, sizes])


def unpack(interp: Interpreter, call: Call) -> Value:
    """`einops.unpack(tensor, sizes, pattern)`: views of it, in unknown number."""
    tensor = as_tensor(interp, call.get(0, "tensor"))
    if tensor is None:
        return Unknown(interp.text(call.node))
    sizes = Call([Unknown("the sizes", "shape")], {}, call.node)
    part = reshape(interp, tensor, "reshape", sizes)
    return Items("list", [part], Unknown(interp.text(call.node), source=tensor.node))


def make_layer(interp: Interpreter, call: Call, path: str) -> Instance:
    """`Rearrange(pattern, **sizes)` and `Reduce(pattern, how, **sizes)`."""
    given: dict[str, Value] = dict(call.keywords)
    names = ("pattern", "reduction")
    given.update(zip(names, call.args, strict=False))
    return Instance(External(path), options=given, made_at=call.node)


def run_layer(interp: Interpreter, layer: Instance, call: Call) -> Value:
    """Call such a layer."""
    given = layer.options
    pattern, how = given.get("pattern"), given.get("reduction")
    return _run(interp, call, call.get(0, "input"), pattern, how, given)


def _run(
    interp: Interpreter, call: Call, value: Value, text: Value, how: Value, sizes: dict[str, Value]
) -> Value:
    pattern = parse(text) if isinstance(text, str) else None
    if isinstance(value, Items):
        value = apply_operator(interp, "torch.stack", [value], {}, call.node)
    tensor = as_tensor(interp, value)
    if tensor is None or pattern is None:
        return Unknown(interp.text(call.node), source=tensor.node if tensor else None)
    pattern = pattern.spread(len(tensor.shape) if tensor.shape is not None else None)
    result = _Rearranged(interp, call.node, pattern, tensor).through(
        how, _lengths(tensor, pattern, sizes)
    )
    return _told(interp, tensor, result, call.node)


def _told(interp: Interpreter, tensor: Tensor, result: Value, node: ast.AST) -> Value:
    """The result under the name of the function that the program calls."""
    if isinstance(result, Tensor) and result is not tensor:
        function = node.func if isinstance(node, ast.Call) else None
        name = interp.text(function).rpartition(".")[2] if function is not None else "rearrange"
        result.made = Created(interp.place(node), name)
        if result.node is not None and result.node.operator in _PARTS:
            result.node.operator = name
    return result


def _lengths(tensor: Tensor, pattern: Pattern, given: dict[str, Value]) -> dict[str, Size]:
    """How long every axis is, as far as that is known."""
    known: dict[str, Size] = {axis: whole(given.get(axis)) for g in pattern.left for axis in g}
    for axis in (axis for group in pattern.right for axis in group):
        known.setdefault(axis, whole(given.get(axis)))
    shape = tensor.shape
    if shape is None or len(shape) != len(pattern.left):
        return known
    for size, group in zip(shape, pattern.left, strict=True):
        missing = [axis for axis in group if known[axis] is None]
        others = numel(tuple(known[axis] for axis in group if axis not in missing))
        if size is not None and len(missing) == 1 and others:
            known[missing[0]] = size // others
    return known


@dataclass
class _Rearranged:
    """A tensor on its way through a pattern."""

    interp: Interpreter
    node: ast.AST
    pattern: Pattern
    tensor: Tensor

    def through(self, how: Value, lengths: dict[str, Size]) -> Value:
        """What comes of it: reduced by `how`, where axes are missing on the right side."""
        left = [axis for group in self.pattern.left for axis in group]
        right = [axis for group in self.pattern.right for axis in group]
        value: Value = self.tensor
        if any(len(group) != 1 for group in self.pattern.left):
            value = self._seen(value, self._sizes(left, lengths))
        gone = [axis for axis in left if axis not in right]
        order = [axis for axis in right if axis in left] + gone
        if order != left:
            value = self._apply(
                "permute", value, self._dims([left.index(axis) for axis in order], left)
            )
        if gone:
            value = self._reduced(value, how, len(order) - len(gone), len(gone), left)
        value = self._expanded(value, [axis in left for axis in right], right, lengths)
        if all(len(group) == 1 for group in self.pattern.right):
            return value
        wanted = self._joined(lengths)
        if all(len(group) < 2 for group in self.pattern.right):
            return self._seen(value, wanted)
        return self._reshaped(value, wanted)

    def _sizes(self, axes: list[str], lengths: dict[str, Size]) -> Shape:
        return None if OTHERS in axes else tuple(lengths[axis] for axis in axes)

    def _joined(self, lengths: dict[str, Size]) -> Shape:
        if any(OTHERS in group for group in self.pattern.right):
            return None
        groups = self.pattern.right
        return tuple(numel(tuple(lengths[axis] for axis in group)) for group in groups)

    def _dims(self, dims: list[int], axes: list[str]) -> Value:
        return Unknown("dimensions") if OTHERS in axes else Items("tuple", list(dims))

    def _apply(self, name: str, value: Value, *others: Value) -> Value:
        return apply_operator(self.interp, f"torch.Tensor.{name}", [value, *others], {}, self.node)

    def _seen(self, value: Value, shape: Shape) -> Value:
        """The same memory with dimensions split, or of size 1 put in or left out: a view."""
        sizes = _as_sizes(shape)
        contiguous = value.contiguous if isinstance(value, Tensor) else None
        view = self._apply("view", value, sizes)
        if isinstance(view, Tensor):
            view.shape, view.contiguous = shape, view.contiguous or contiguous
            if shape is None or None in shape:
                view.strides = None
        return view

    def _reshaped(self, value: Value, shape: Shape) -> Value:
        if not isinstance(value, Tensor):
            return value
        return reshape(self.interp, value, "reshape", Call([_as_sizes(shape)], {}, self.node))

    def _reduced(self, value: Value, how: Value, first: int, count: int, axes: list[str]) -> Value:
        name = _REDUCING.get(how) if isinstance(how, str) else None
        if name is None:
            source = value.node if isinstance(value, Tensor) else None
            return Unknown("a reduction", source=source)
        if name == "prod":  # over one dimension after the other
            for _ in range(count):
                value = self._apply(name, value, -1)
            return value
        dims: list[Value] = [first + i for i in range(count)] if OTHERS not in axes else [-1]
        return self._apply(name, value, Items("tuple", dims))

    def _expanded(
        self, value: Value, there: list[bool], axes: list[str], lengths: dict[str, Size]
    ) -> Value:
        """With the axes that stand on the right side alone."""
        if all(there):
            return value
        shape = self._sizes(axes, lengths)
        units = None if shape is None else _with_units(shape, there)
        return self._apply("expand", self._seen(value, units), _as_sizes(shape))


def _with_units(shape: Sizes, there: list[bool]) -> Sizes:
    return tuple(size if old else 1 for size, old in zip(shape, there, strict=True))


def _as_sizes(shape: Shape) -> Value:
    if shape is None:
        return Unknown("a shape")
    return Items("tuple", [-1 if size is None else size for size in shape])


REARRANGING: dict[str, Callable[[Interpreter, Call], Value]] = {
    **dict.fromkeys(("einops.rearrange", "einops.repeat", "einops.reduce"), rearrange),
    **dict.fromkeys(("einops.einops.rearrange", "einops.einops.repeat"), rearrange),
    "einops.einsum": contract,
    "einops.pack": pack,
    "einops.unpack": unpack,
    **{LAYERS + name: partial(make_layer, path=LAYERS + name) for name in ("Rearrange", "Reduce")},
}
