"""Giving the results of an operator their shapes and strides, where the table could not."""

from __future__ import annotations

from collections.abc import Sequence

from autograd_lint.engine.shapes import Shape, is_contiguous, numel
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.shapes import (
    fourier,
    gathering,
    joining,
    matrices,
    products,
    reductions,
    views,
    windows,
)
from autograd_lint.libraries.shapes.arguments import Arguments, Rule
from autograd_lint.libraries.shapes.parts import part_layouts
from autograd_lint.libraries.shapes.views import Layout, layout_of
from autograd_lint.vm.values import Unknown, Value

SAME = {
    "clone",
    "contiguous",
    "to",
    "float",
    "double",
    "half",
    "type",
    "type_as",
    "cpu",
    "cuda",
    "softmax",
    "log_softmax",
    "cumsum",
    "cumprod",
    "flip",
    "tril",
    "triu",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "as_strided_scatter",
    "diagonal_scatter",
    "select_scatter",
    "slice_scatter",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "put",
    "index_reduce",
    "bucketize",
    "isin",
    "linalg.inv",
    "inverse",
    "linalg.cholesky",
    "bernoulli",
    "nn.LayerNorm",
    "nn.PReLU",
    "nn.BatchNorm1d",
    "nn.BatchNorm2d",
    "nn.BatchNorm3d",
    "nn.GroupNorm",
    "nn.RMSNorm",
    "nn.Dropout",
    "nn.functional.layer_norm",
    "nn.functional.prelu",
    "prelu",
    "nn.functional.batch_norm",
    "nn.functional.instance_norm",
    "linalg.householder_product",
    "nn.functional.group_norm",
    "group_norm",
    "instance_norm",
    "nn.functional.rms_norm",
    "nn.functional.dropout",
    "nn.functional.softmax",
    "nn.functional.log_softmax",
    "nn.functional.gumbel_softmax",
}
TURNING = {"as_strided_", "t_", "transpose_", "swapaxes_", "swapdims_", "squeeze_", "unsqueeze_"}


def _same(shape: tuple[int | None, ...], arguments: Arguments) -> Shape:
    return shape


RULES: dict[str, Rule] = {
    **dict.fromkeys(SAME, _same),
    **reductions.RULES,
    **products.RULES,
    **joining.RULES,
    **gathering.RULES,
    **windows.RULES,
    **matrices.RULES,
    **fourier.RULES,
}


def infer_shapes(name: str, bound: dict[str, Value], results: Sequence[Tensor]) -> None:
    """Complete what is known of the shapes of the results of an operator, a view's strides too."""
    if not results:
        return
    first = bound.get("0")
    if isinstance(first, Unknown):
        first = first.tensor
    if not isinstance(first, Tensor):
        _settle(results, _of_several(name, bound))
        return
    if name in TURNING:
        _turn(name, first, Arguments(bound))
    if results[0] is first:
        return
    view = views.RULES.get(name)
    if view is not None:
        layout = layout_of(first)
        _lay(results[0], view(layout, Arguments(bound)) if layout is not None else None)
        return
    if name in matrices.FACTORS and first.shape is not None:
        _settle_each(results, matrices.FACTORS[name](first.shape, Arguments(bound)))
        return
    rule = RULES.get(name) or _copying(name) or _functional(name)
    if rule is not None and first.shape is not None:
        shape = rule(first.shape, Arguments(bound))
        for result in results:
            result.shape = shape
    elif name in reductions.OF_TWO and Arguments(bound).given("1"):
        results[0].shape = None  # no extreme of all elements, but of two tensors or of rows
    _dense(first, bound, results)


def _functional(name: str) -> Rule | None:
    """The rule of `torch.conv2d` and the like: that of the function of `nn.functional`."""
    return windows.RULES.get(f"nn.functional.{name}")


def _copying(name: str) -> Rule | None:
    """The shape of what `t_copy` and the like copy of a tensor: that of the view."""
    view = views.RULES.get(name.removesuffix("_copy"))
    if view is None or not name.endswith("_copy"):
        return None

    def shape(sizes: tuple[int | None, ...], arguments: Arguments) -> Shape:
        layout = view(Layout(sizes, (None,) * len(sizes)), arguments)
        return layout.shape if layout is not None else None

    return shape


def _of_several(name: str, bound: dict[str, Value]) -> Shape:
    """The shape where the first argument is no tensor."""
    if name in ("cat", "concat", "concatenate"):
        return joining.concatenated(bound)
    if name == "stack":
        return joining.stacked(bound)
    if name in ("hstack", "vstack", "row_stack", "nn.utils.rnn.pad_sequence"):
        return joining.lined_up(name, bound)
    if name == "linalg.multi_dot":
        return matrices.of_chain(bound)
    return products.einsum(bound) if name == "einsum" else None


def _settle(results: Sequence[Tensor], shape: Shape) -> None:
    for result in results:
        if result.shape is None:
            result.shape = shape


def _settle_each(results: Sequence[Tensor], shapes: Sequence[Shape] | None) -> None:
    """Give each result a shape of its own; where they are not known, none has one."""
    for at, result in enumerate(results):
        result.shape = shapes[at] if shapes is not None and at < len(shapes) else None


def _lay(result: Tensor, layout: Layout | None) -> None:
    """Give a view its layout."""
    if layout is None:
        result.contiguous = None
        return
    result.shape = layout.shape
    known = any(stride is not None for stride in layout.strides)
    result.strides = layout.strides if known else None
    result.contiguous = is_contiguous(layout.shape, layout.strides)


def _turn(name: str, tensor: Tensor, arguments: Arguments) -> None:
    """`t_()` and the like change the tensor's own layout."""
    layout = layout_of(tensor)
    changed = views.RULES[name[:-1]](layout, arguments) if layout is not None else None
    if changed is None:
        tensor.shape, tensor.strides = None, None
    _lay(tensor, changed)


def _dense(first: Tensor, bound: dict[str, Value], results: Sequence[Tensor]) -> None:
    """An elementwise result lies in memory as its arguments do, where they all lie alike."""
    if first.strides is None or first.shape is None or 0 in first.strides:
        return
    others = [value for value in bound.values() if isinstance(value, Tensor)]
    alike = all(t.shape == first.shape and t.strides == first.strides for t in others)
    if not alike or _holes(first.shape, first.strides):
        return
    for result in results:
        if result.shape == first.shape and result.base is None and result.contiguous is None:
            result.strides, result.contiguous = first.strides, False


def _holes(shape: tuple[int | None, ...], strides: tuple[int | None, ...]) -> bool:
    """Whether the elements may not fill their memory without gaps."""
    if None in shape or None in strides:
        return True
    span = 1 + sum(
        (size or 1) - 1 and ((size or 1) - 1) * (step or 0)
        for size, step in zip(shape, strides, strict=True)
    )
    return span != numel(shape)


def infer_parts(name: str, tensor: Tensor, bound: dict[str, Value]) -> list[Layout] | None:
    """The layouts of the parts an operator cuts a tensor into, None where not known."""
    layout = layout_of(tensor)
    if layout is None:
        return None
    return part_layouts(name, layout, Arguments(bound))


def lay_out(tensor: Tensor, layout: Layout) -> None:
    """Give one part of a tensor its layout."""
    _lay(tensor, layout)
