"""Our own small samples, for plain calls and for what torch's test suite leaves out.

The first sample of an operator is its plain call: what is usual, and the last form of the table.
"""

from collections.abc import Callable, Iterator
from typing import Any

import torch

from autograd_lint.operators.measure.opinfo import Sample

# Operators written in Python that return a list or tuple of any length.
LISTED = frozenset(
    {"__iter__", "split", "tensor_split", "meshgrid", "broadcast_tensors", "unsafe_split"}
)


def names() -> list[str]:
    """The operators there are samples of."""
    return list(_SAMPLES)


def own(name: str) -> Iterator[Sample]:
    """Positional and keyword arguments for calls of an operator, the plain call first."""
    torch.manual_seed(0)
    make = _SAMPLES.get(name)
    for given in make() if make else ():
        named = given[-1] if isinstance(given[-1], dict) else {}
        yield (given[:-1] if named else given), named


def _x(*shape: int) -> torch.Tensor:
    """Positive, and away from the edges of domains."""
    return torch.rand(shape or (3, 4)) * 0.8 + 0.1


def _ids(*shape: int, below: int = 3) -> torch.Tensor:
    return torch.randint(0, below, shape)


def _mask(*shape: int) -> torch.Tensor:
    return torch.rand(shape or (3, 4)) > 0.5


Samples = Callable[[], list[tuple[Any, ...]]]


def _unary() -> list[tuple[Any, ...]]:
    return [(_x(),)]


def _binary() -> list[tuple[Any, ...]]:
    return [(_x(), _x()), (_x(), _x(4)), (_x(), 2), (_x(), 1.5), (_x(), 0)]


def _reflected() -> list[tuple[Any, ...]]:
    return [(_x(), 2), (_x(), 1.5), (_x(), _x())]


def _in_place() -> list[tuple[Any, ...]]:
    return [(_x(), _x()), (_x(), 2), (_x(), 1.5), (_x(), _x(4))]


def _indices() -> list[tuple[Any, ...]]:
    mask, rows = _mask(), torch.tensor([0, 2])
    return [
        (_x(), 0),
        (_x(), slice(0, 2)),
        (_x(), (slice(None), 1)),
        (_x(), (0, 1)),
        (_x(), None),
        (_x(), ...),
        (_x(), slice(None)),
        (_x(), (slice(0, 2), slice(1, 3))),
        (_x(), (..., 0)),
        (_x(), rows),
        (_x(), [0, 1]),
        (_x(), (rows, rows)),
        (_x(), (rows, slice(None))),
        (_x(), (slice(None), [0, 1])),
        (_x(), mask),
        (_x(), _mask(3)),
        (_x(), (_mask(3), 0)),
    ]


def _assignments() -> list[tuple[Any, ...]]:
    found = []
    for _, index in _indices():
        target = _x()
        value = torch.rand_like(target[index])
        found += [(target, index, 0.5), (target, index, value), (target, index, torch.tensor(0.5))]
    return found


def _loss() -> list[tuple[Any, ...]]:
    reductions = ("none", "sum", "mean")
    return [(_x(), _x()), *((_x(), _x(), {"reduction": each}) for each in reductions)]


def _class_loss() -> list[tuple[Any, ...]]:
    return [
        (_x(3, 4), _ids(3)),
        (_x(3, 4), _ids(3), _x(4)),
        (_x(3, 4), _ids(3), {"weight": _x(4)}),
        (_x(3, 4), _ids(3), {"reduction": "none"}),
        (_x(3, 4), _ids(3), {"reduction": "sum"}),
        (_x(3, 4, 2), _ids(3, 2)),
    ]


def _cross_entropy() -> list[tuple[Any, ...]]:
    return [
        *_class_loss(),
        (_x(3, 4), _ids(3), {"label_smoothing": 0.1}),
        (_x(3, 4), _x(3, 4)),
    ]


def _dropout() -> list[tuple[Any, ...]]:
    data = _x(2, 3, 4, 4)
    return [
        (data,),
        (data, 0.3),
        (data, 0.3, False),
        (data, 0.3, True),
        (data, {"training": False}),
        (data, {"p": 0.0}),
        (data, {"inplace": True}),
        (data, {"training": False, "inplace": True}),
        (data, {"p": 0.0, "inplace": True}),
    ]


def _activation() -> list[tuple[Any, ...]]:
    return [(_x(),), (_x(), {"inplace": True})]


def _reduction() -> list[tuple[Any, ...]]:
    return [
        (_x(),),
        (_x(), 1),
        (_x(), {"dim": 1}),
        (_x(), -1, True),
        (_x(), {"dim": 0, "keepdim": True}),
    ]


def _many() -> list[tuple[Any, ...]]:
    return [([_x(), _x()],), ([_x(), _x()], 1), ((_x(), _x(), _x()), {"dim": 1})]


def _pieces() -> list[tuple[Any, ...]]:
    return [(_x(4, 4), 2), (_x(4, 4), 2, 1), (_x(4, 4), 2, {"dim": 1})]


def _products() -> list[tuple[Any, ...]]:
    return [
        (_x(3, 4), _x(4, 5)),
        (_x(2, 3, 4), _x(4, 5)),
        (_x(2, 3, 4), _x(2, 4, 5)),
        (_x(4), _x(4)),
    ]


def _conversions() -> list[tuple[Any, ...]]:
    return [
        (_x(), torch.float64),
        (_x(), torch.int64),
        (_x(), torch.bool),
        (_x(), torch.float32),
        (_x(), {"dtype": torch.int64}),
        (_x(), {"dtype": torch.float64}),
    ]


def _to() -> list[tuple[Any, ...]]:
    return [*_devices(), (_x(), _x()), *_conversions()]


def _devices() -> list[tuple[Any, ...]]:
    return [(_x(), torch.device("cpu")), (_x(), torch.device("meta"))]


def _contiguous() -> list[tuple[Any, ...]]:
    return [(_x(),), (_x().t(),)]


def _foreach() -> list[tuple[Any, ...]]:
    return [([_x(), _x()],)]


def _foreach_pair() -> list[tuple[Any, ...]]:
    return [([_x(), _x()], [_x(), _x()]), ([_x(), _x()], 2.0)]


def _factory() -> list[tuple[Any, ...]]:
    return [(3, 4), ((3, 4),), ((3, 4), {"dtype": torch.int64}), ((3,), {"dtype": torch.bool})]


def _factory_like() -> list[tuple[Any, ...]]:
    return [(_x(),), (_x(), {"dtype": torch.int64}), (_x(), {"dtype": torch.bool})]


def _images(channels: int = 3, out: int = 5, rank: int = 2) -> list[tuple[Any, ...]]:
    shape = (2, channels, *(6,) * rank)
    weight = (out, channels, *(3,) * rank)
    return [
        (_x(*shape), _x(*weight), _x(out)),
        (_x(*shape), _x(*weight)),
        (_x(*shape), _x(*weight), {"bias": _x(out), "padding": 1}),
        (_x(*shape), _x(*weight), None, {"stride": 2}),
    ]


def _batch_norm() -> list[tuple[Any, ...]]:
    data, mean, scale = _x(4, 3, 5), _x(3), _x(3)
    return [
        (data, mean, scale, _x(3), _x(3)),
        (data, mean, scale, {"weight": _x(3), "bias": _x(3), "training": True}),
        (data, mean, scale, {"training": True}),
        (data, None, None, {"training": True}),
    ]


def _named(*operators: str, make: Samples) -> dict[str, Samples]:
    return dict.fromkeys(operators, make)


_F = "nn.functional."

_SAMPLES: dict[str, Samples] = {
    **_named(
        *[
            "add",
            "sub",
            "mul",
            "div",
            "true_divide",
            "multiply",
            "divide",
            "subtract",
            "pow",
            "maximum",
            "minimum",
            "fmax",
            "fmin",
        ],
        *[
            "remainder",
            "fmod",
            "floor_divide",
            "atan2",
            "hypot",
            "eq",
            "ne",
            "lt",
            "le",
            "gt",
            "ge",
            "__add__",
            "__sub__",
        ],
        *[
            "__mul__",
            "__truediv__",
            "__div__",
            "__pow__",
            "__mod__",
            "__floordiv__",
            "__eq__",
            "__ne__",
            "__lt__",
        ],
        *[
            "__le__",
            "__gt__",
            "__ge__",
            "rsub",
            "float_power",
            "copysign",
            "logical_and",
            "logical_or",
            "xlogy",
        ],
        make=_binary,
    ),
    **_named(
        *["__radd__", "__rsub__", "__rmul__", "__rtruediv__", "__rdiv__", "__rpow__", "__rmod__"],
        "__rfloordiv__",
        make=_reflected,
    ),
    **_named(
        *["__iadd__", "__isub__", "__imul__", "__itruediv__", "__idiv__", "__ipow__", "__imod__"],
        "__ifloordiv__",
        make=_in_place,
    ),
    **_named(
        *[
            "abs",
            "neg",
            "exp",
            "log",
            "sin",
            "cos",
            "tanh",
            "sigmoid",
            "sqrt",
            "rsqrt",
            "reciprocal",
            "square",
            "relu",
            "log1p",
        ],
        *[
            "expm1",
            "tan",
            "asin",
            "acos",
            "atan",
            "sinh",
            "cosh",
            "erf",
            "log2",
            "log10",
            "sign",
            "floor",
            "ceil",
            "round",
            "trunc",
        ],
        *[
            "frac",
            "digamma",
            "lgamma",
            "t",
            "T",
            "mT",
            "H",
            "mH",
            "real",
            "data",
            "detach",
            "clone",
            "item",
            "tolist",
            "numpy",
            "isnan",
        ],
        *[
            "isfinite",
            "isinf",
            "alias",
            "__neg__",
            "__pos__",
            "__abs__",
            "__len__",
            "__iter__",
            "float",
        ],
        *[
            "double",
            "half",
            "bfloat16",
            "long",
            "int",
            "bool",
            "short",
            "byte",
            "char",
            "cpu",
            "positive",
            "ravel",
            "requires_grad_",
        ],
        *[
            "detach_",
            "retain_grad",
            "numel",
            "dim",
            "size",
            "zero_",
            "nonzero",
            "logical_not",
            "softmax_",
            "t_",
            "squeeze_",
        ],
        *[
            "squeeze",
            "squeeze_copy",
            "flatten",
            "argmax",
            "argmin",
            "any",
            "all",
            "is_contiguous",
            "data_ptr",
            "trace",
        ],
        *[
            "shape",
            "ndim",
            "is_leaf",
            "dtype",
            "device",
            "grad_fn",
            "element_size",
            "share_memory_",
        ],
        *[
            "normal_",
            "uniform_",
            "exponential_",
            "bernoulli_",
            "random_",
            "cauchy_",
            "log_normal_",
            "bernoulli",
        ],
        *[
            "as_tensor",
            "asarray",
            "tensor",
            "Tensor",
        ],
        *["special.expit", "special.erf", "special.exp2", "nn.init.zeros_", "nn.init.ones_"],
        *[
            "nn.init.normal_",
            "nn.init.uniform_",
            "nn.init.xavier_uniform_",
            "nn.init.xavier_normal_",
        ],
        *["nn.init.kaiming_uniform_", "nn.init.kaiming_normal_", "nn.init.orthogonal_"],
        *["nn.init.trunc_normal_", "nn.init.eye_"],
        make=_unary,
    ),
    **_named(
        *[
            "relu",
            "leaky_relu",
            "elu",
            "celu",
            "selu",
            "relu6",
            "hardtanh",
            "hardswish",
            "hardsigmoid",
            "silu",
            "mish",
        ],
        *(
            f"{_F}{each}"
            for each in ["relu", "leaky_relu", "elu", "celu", "selu", "relu6", "hardtanh"]
        ),
        *(f"{_F}{each}" for each in ["hardswish", "hardsigmoid", "silu", "mish", "rrelu"]),
        make=_activation,
    ),
    **_named(
        *(f"{_F}{each}" for each in ["gelu", "softplus", "logsigmoid", "softsign", "tanhshrink"]),
        *(f"{_F}{each}" for each in ["softshrink", "hardshrink", "sigmoid", "tanh", "normalize"]),
        make=_unary,
    ),
    **_named(
        *(f"{_F}{each}" for each in ["softmax", "log_softmax", "softmin"]),
        *["softmax", "log_softmax", "cumsum", "cumprod", "logsumexp", "unbind"],
        make=lambda: [(_x(), 1), (_x(), {"dim": 1})],
    ),
    f"{_F}threshold": lambda: [(_x(), 0.2, 0.0), (_x(), 0.2, 0.0, True)],
    **_named(
        *[
            "sum",
            "mean",
            "prod",
            "max",
            "min",
            "amax",
            "amin",
            "std",
            "var",
            "argmax",
            "argmin",
            "any",
            "all",
            "logsumexp",
            "norm",
        ],
        *["median", "mode", "nansum", "nanmean", "var_mean", "std_mean"],
        make=_reduction,
    ),
    **_named("max", "min", make=lambda: [*_reduction(), (_x(), _x())]),
    "norm": lambda: [(_x(),), (_x(), 2), (_x(), 1), (_x(), 2, 1), (_x(), {"dim": 1})],
    "__getitem__": _indices,
    "__setitem__": _assignments,
    **_named("matmul", "__matmul__", "__rmatmul__", make=_products),
    **_named("mm", make=lambda: [(_x(3, 4), _x(4, 5))]),
    **_named("bmm", make=lambda: [(_x(2, 3, 4), _x(2, 4, 5))]),
    **_named("cat", "stack", "concat", "hstack", "vstack", make=_many),
    **_named("chunk", "split", "tensor_split", "unsafe_chunk", "unsafe_split", make=_pieces),
    "einsum": lambda: [
        ("ij,jk->ik", _x(3, 4), _x(4, 5)),
        ("ij->ji", _x()),
        ("ij->", _x()),
        ("ij,jk,kl->il", _x(3, 4), _x(4, 5), _x(5, 2)),
        ("bij,bjk->bik", _x(2, 3, 4), _x(2, 4, 5)),
    ],
    "where": lambda: [
        (_mask(), _x(), _x()),
        (_mask(), _x(), 0.0),
        (_mask(), 0.0, _x()),
        (_mask(),),
    ],
    "Tensor.where": lambda: [(_x(), _mask(), _x()), (_x(), _mask(), 0.0)],
    f"{_F}dropout1d": lambda: [
        (_x(2, 3, 4),),
        (_x(2, 3, 4), {"training": False}),
        (_x(2, 3, 4), {"inplace": True}),
    ],
    **_named("cpu", "cuda", "xpu", "ipu", "pin_memory", make=_devices),
    "__invert__": lambda: [(_mask(),)],
    **_named("__float__", "__int__", "__bool__", make=lambda: [(torch.tensor(1.5),)]),
    "__contains__": lambda: [(_x(), 0.5)],
    "select_copy": lambda: [(_x(), 0, 1)],
    **_named("polygamma", "special.polygamma", make=lambda: [(1, _x())]),
    "polygamma_": lambda: [(_x(), 1)],
    "float_power_": lambda: [(_x().double(), 2), (_x().double(), _x().double())],
    **_named("svd_lowrank", "pca_lowrank", make=lambda: [(_x(4, 3), 2)]),
    "Tensor.polygamma": lambda: [(_x(), 1)],
    **_named("contiguous", make=_contiguous),
    **_named("reshape", make=lambda: [(_x(), -1), (_x(), 4, 3), (_x().t(), -1), (_x(), (2, 6))]),
    "flatten": lambda: [(_x(),), (_x(2, 3, 4), 1), (_x().t(),)],
    "view": lambda: [(_x(), -1), (_x(), 4, 3), (_x(), (4, 3)), (_x(), torch.int32)],
    "view_as": lambda: [(_x(3, 4), _x(4, 3))],
    "expand": lambda: [(_x(1, 4), 3, 4), (_x(1, 4), (3, 4))],
    "expand_as": lambda: [(_x(1, 4), _x())],
    "permute": lambda: [(_x(), 1, 0), (_x(), (1, 0))],
    "transpose": lambda: [(_x(), 0, 1)],
    "unsqueeze": lambda: [(_x(), 0)],
    "unsqueeze_": lambda: [(_x(), 0)],
    "transpose_": lambda: [(_x(), 0, 1)],
    "select": lambda: [(_x(), 0, 1)],
    "narrow": lambda: [(_x(), 0, 0, 2)],
    "repeat": lambda: [(_x(), 2, 1)],
    "type": lambda: [(_x(), torch.float32), (_x(), "torch.LongTensor"), *_conversions()],
    "type_as": lambda: [(_x(), _x()), (_x(), _ids(3))],
    "to": _to,
    "copy_": lambda: [(_x(), _x()), (_x(), _x(4))],
    "fill_": lambda: [(_x(), 0.0), (_x(), torch.tensor(1.0))],
    "clamp": lambda: [
        (_x(), 0.2, 0.5),
        (_x(), {"min": 0.2}),
        (_x(), {"max": 0.5}),
        (_x(), _x(), _x()),
    ],
    "clamp_min": lambda: [(_x(), 0.2), (_x(), _x())],
    "clamp_max": lambda: [(_x(), 0.2), (_x(), _x())],
    "masked_fill": lambda: [(_x(), _mask(), 0.0), (_x(), _mask(), torch.tensor(0.0))],
    "masked_fill_": lambda: [(_x(), _mask(), 0.0), (_x(), _mask(), torch.tensor(0.0))],
    "index_select": lambda: [(_x(), 0, _ids(2))],
    "gather": lambda: [(_x(), 1, _ids(3, 2))],
    **_named(
        "scatter",
        "scatter_",
        make=lambda: [(_x(), 1, _ids(3, 2), _x(3, 2)), (_x(), 1, _ids(3, 2), 0.5)],
    ),
    **_named("scatter_add", "scatter_add_", make=lambda: [(_x(), 1, _ids(3, 2), _x(3, 2))]),
    **_named("index_add", "index_copy", make=lambda: [(_x(), 0, torch.tensor([0, 2]), _x(2, 4))]),
    "index_fill": lambda: [(_x(), 0, torch.tensor([0, 2]), 0.5)],
    "lerp": lambda: [(_x(), _x(), 0.5), (_x(), _x(), _x())],
    "addmm": lambda: [(_x(3, 5), _x(3, 4), _x(4, 5))],
    "addcmul": lambda: [(_x(), _x(), _x()), (_x(), _x(), _x(), {"value": 0.5})],
    "addcdiv": lambda: [(_x(), _x(), _x()), (_x(), _x(), _x(), {"value": 0.5})],
    "bernoulli_": lambda: [(_x(), 0.5), (_x(), _x())],
    "multinomial": lambda: [(_x(), 1)],
    "topk": lambda: [(_x(), 2)],
    "sort": lambda: [(_x(),), (_x(), {"dim": 0})],
    **_named(*(f"_foreach_{each}" for each in ["exp", "sqrt", "neg", "abs"]), make=_foreach),
    **_named(*(f"_foreach_{each}_" for each in ["exp", "sqrt", "neg", "zero"]), make=_foreach),
    **_named(*(f"_foreach_{each}" for each in ["add", "sub", "mul", "div"]), make=_foreach_pair),
    **_named(
        *(f"_foreach_{each}_" for each in ["add", "sub", "mul", "div", "copy"]), make=_foreach_pair
    ),
    **_named("zeros", "ones", "empty", "rand", "randn", make=_factory),
    **_named(
        *["zeros_like", "ones_like", "empty_like", "rand_like", "randn_like"], make=_factory_like
    ),
    **_named(
        "new_zeros",
        "new_ones",
        "new_empty",
        make=lambda: [(_x(), 3, 4), (_x(), (3, 4)), (_x(), (3,), {"dtype": torch.int64})],
    ),
    "new_tensor": lambda: [(_x(), [1.0, 2.0])],
    "full": lambda: [((3,), 1.0), ((3,), 1), ((3,), True)],
    "full_like": lambda: [(_x(), 1.0)],
    "new_full": lambda: [(_x(), (3,), 1.0)],
    "arange": lambda: [(3,), (0, 3), (3.0,), (0.0, 3.0, 0.5), (3, {"dtype": torch.float32})],
    "linspace": lambda: [(0, 1, 5), (0.0, 1.0, 5)],
    "eye": lambda: [(3,)],
    "tensor": lambda: [
        (1.0,),
        (1,),
        (True,),
        ([1.0, 2.0],),
        ([1, 2],),
        (_x(),),
        ([1, 2], {"dtype": torch.float32}),
    ],
    "randint": lambda: [(3, (2,)), (0, 3, (2,))],
    "randperm": lambda: [(3,)],
    f"{_F}linear": lambda: [
        (_x(3, 4), _x(5, 4), _x(5)),
        (_x(3, 4), _x(5, 4)),
        (_x(2, 3, 4), _x(5, 4), _x(5)),
    ],
    f"{_F}conv1d": lambda: _images(rank=1),
    f"{_F}conv2d": lambda: _images(),
    f"{_F}conv3d": lambda: _images(rank=3),
    f"{_F}batch_norm": _batch_norm,
    f"{_F}layer_norm": lambda: [
        (_x(), (4,), _x(4), _x(4)),
        (_x(), (4,)),
        (_x(), (4,), {"weight": _x(4)}),
    ],
    f"{_F}embedding": lambda: [(_ids(3), _x(3, 4))],
    **_named(
        *(f"{_F}{each}" for each in ["dropout", "dropout2d", "dropout3d"]),
        *(f"{_F}{each}" for each in ["alpha_dropout", "feature_alpha_dropout"]),
        make=_dropout,
    ),
    **_named(
        "dropout",
        "alpha_dropout",
        "feature_dropout",
        make=lambda: [(_x(), 0.5, True), (_x(), 0.5, False), (_x(), 0.0, True)],
    ),
    **_named(
        *(
            f"{_F}{each}"
            for each in ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "kl_div"]
        ),
        *(f"{_F}{each}" for each in ["binary_cross_entropy", "soft_margin_loss"]),
        f"{_F}binary_cross_entropy_with_logits",
        make=_loss,
    ),
    f"{_F}cross_entropy": _cross_entropy,
    f"{_F}nll_loss": _class_loss,
}
