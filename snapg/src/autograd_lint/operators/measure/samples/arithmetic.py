"""Arithmetic: Python's operators and the mathematical functions."""

from autograd_lint.operators.measure.samples.making import (
    Given,
    Samples,
    ids,
    mask,
    together,
    unary,
    x,
)

_UNARY = (
    "abs neg exp log sin cos tanh sigmoid sqrt rsqrt reciprocal square relu log1p expm1 tan asin"
    " acos atan sinh cosh erf log2 log10 sign floor ceil round trunc frac digamma lgamma isnan"
    " isfinite isinf positive logical_not __neg__ __pos__ __abs__ special.expit special.erf"
    " special.exp2 hardshrink"
)
_BINARY = (
    "add sub mul div true_divide multiply divide subtract pow maximum minimum fmax fmin remainder"
    " fmod floor_divide atan2 hypot eq ne lt le gt ge rsub float_power copysign logical_and"
    " logical_or xlogy __add__ __sub__ __mul__ __truediv__ __div__ __pow__ __mod__ __floordiv__"
    " __eq__ __ne__ __lt__ __le__ __gt__ __ge__"
)
_BITS = "__and__ __or__ __xor__ __rand__ __ror__ __rxor__ __iand__ __ior__ __ixor__"
_SHIFTS = "__lshift__ __rshift__ __ilshift__ __irshift__"


def _binary() -> Given:
    return [(x(), x()), (x(), x(4)), (x(), 2), (x(), 1.5), (x(), 0)]


def _reflected() -> Given:
    return [(x(), 2), (x(), 1.5), (x(), x())]


def _in_place() -> Given:
    return [(x(), x()), (x(), 2), (x(), 1.5), (x(), x(4))]


def _products() -> Given:
    return [
        (x(3, 4), x(4, 5)),
        (x(2, 3, 4), x(4, 5)),
        (x(2, 3, 4), x(2, 4, 5)),
        (x(4), x(4)),
    ]


def _einsum() -> Given:
    return [
        ("ij,jk->ik", x(3, 4), x(4, 5)),
        ("ij->ji", x()),
        ("ij->", x()),
        ("ij,jk,kl->il", x(3, 4), x(4, 5), x(5, 2)),
        ("bij,bjk->bik", x(2, 3, 4), x(2, 4, 5)),
    ]


def _clamp() -> Given:
    return [(x(), 0.2, 0.5), (x(), {"min": 0.2}), (x(), {"max": 0.5}), (x(), x(), x())]


def _combination() -> Given:
    return [(x(), x(), x()), (x(), x(), x(), {"value": 0.5})]


def _lists() -> Given:
    return [([x(), x()],)]


def _pairs_of_lists() -> Given:
    return [([x(), x()], [x(), x()]), ([x(), x()], 2.0)]


SAMPLES: Samples = {
    **together(_UNARY, unary),
    **together(_BINARY, _binary),
    **together("__radd__ __rsub__ __rmul__ __rtruediv__ __rdiv__ __rpow__ __rmod__", _reflected),
    "__rfloordiv__": _reflected,
    **together("__iadd__ __isub__ __imul__ __itruediv__ __idiv__ __ipow__ __imod__", _in_place),
    "__ifloordiv__": _in_place,
    **together(_BITS, lambda: [(mask(), mask()), (ids(3), ids(3)), (mask(), True)]),
    **together(_SHIFTS, lambda: [(ids(3), ids(3)), (ids(3), 1)]),
    **together("__rlshift__ __rrshift__", lambda: [(ids(3), 8)]),
    "__invert__": lambda: [(mask(),)],
    **together("matmul __matmul__ __rmatmul__ linalg.matmul", _products),
    "mm": lambda: [(x(3, 4), x(4, 5))],
    "bmm": lambda: [(x(2, 3, 4), x(2, 4, 5))],
    "addmm": lambda: [(x(3, 5), x(3, 4), x(4, 5))],
    "einsum": _einsum,
    "chain_matmul": lambda: [(x(3, 4), x(4, 5)), (x(3, 4), x(4, 5), x(5, 2))],
    "clamp": _clamp,
    **together("clamp_min clamp_max", lambda: [(x(), 0.2), (x(), x())]),
    "lerp": lambda: [(x(), x(), 0.5), (x(), x(), x())],
    **together("addcmul addcdiv", _combination),
    **together("polygamma special.polygamma", lambda: [(1, x())]),
    **together("Tensor.polygamma polygamma_", lambda: [(x(), 1)]),
    "float_power_": lambda: [(x().double(), 2), (x().double(), x().double())],
    **together("special.gammainc special.gammaincc", lambda: [(x(), x())]),
    "prelu": lambda: [(x(), x(1)), (x(), x(4))],
    **together("exp sqrt neg abs", _lists, "_foreach_"),
    **together("exp_ sqrt_ neg_ zero_", _lists, "_foreach_"),
    **together("add sub mul div", _pairs_of_lists, "_foreach_"),
    **together("add_ sub_ mul_ div_ copy_", _pairs_of_lists, "_foreach_"),
}
