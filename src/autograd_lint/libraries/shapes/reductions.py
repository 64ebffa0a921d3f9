"""Shapes of what folds dimensions away: sums, extremes, norms, losses."""

from __future__ import annotations

from autograd_lint.engine.shapes import Shape, Sizes, broadcast
from autograd_lint.libraries.shapes.arguments import Arguments, Rule, position
from autograd_lint.vm.values import Unknown

# Where the dimensions and `keepdim` stand among the arguments.
FIRST = {
    "sum",
    "mean",
    "nansum",
    "nanmean",
    "amax",
    "amin",
    "max",
    "min",
    "median",
    "nanmedian",
    "mode",
    "prod",
    "logsumexp",
    "argmax",
    "argmin",
    "all",
    "any",
    "aminmax",
    "count_nonzero",
    "special.logsumexp",
    "frobenius_norm",
}
SPREADS = {"std", "var", "std_mean", "var_mean"}
SECOND = {"norm", "linalg.norm", "linalg.vector_norm", "kthvalue"}
_TENSORS = {"0", "1", "2"}  # where the tensors of a loss stand among its arguments
OF_TWO = {"max", "min"}  # of two tensors, element by element
MASKED = {"sum", "mean", "prod", "amax", "amin", "argmax", "argmin", "logsumexp", "std", "var"}
OF_LAST = {"kthvalue", "mode"}  # without `dim` they fold the last dimension
ELEMENTWISE_LOSSES = {
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "huber_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "kl_div",
    "soft_margin_loss",
    "poisson_nll_loss",
    "hinge_embedding_loss",
    "margin_ranking_loss",
    "gaussian_nll_loss",
}


def _reduction(name: str, key: str, keep: str) -> Rule:
    def rule(shape: Sizes, arguments: Arguments) -> Shape:
        given = arguments.get(key)
        if given is None and name in OF_LAST:
            given = -1
        if arguments.tensor(key) is not None:
            return broadcast([shape, arguments.shape(key)]) if name in OF_TWO else ()
        kept = arguments.get(keep, False)
        if given is None or isinstance(given, bool):
            dims: tuple[int, ...] | None = tuple(range(len(shape)))
        else:
            dims = arguments.dims(key, len(shape)) if arguments.given(key) else (len(shape) - 1,)
        if dims is None or isinstance(kept, Unknown):
            return None
        return reduce(shape, set(dims), kept is True)

    return rule


def reduce(shape: Sizes, dims: set[int], keep: bool) -> Shape:
    """The shape without some dimensions, or with them of size 1."""
    if keep:
        return tuple(1 if i in dims else size for i, size in enumerate(shape))
    return tuple(size for i, size in enumerate(shape) if i not in dims)


def _similarity(shape: Sizes, arguments: Arguments) -> Shape:
    both = broadcast([shape, arguments.shape("1")])
    dim = arguments.number("2", 1)
    if both is None or (at := position(dim, len(both))) is None:
        return None
    return reduce(both, {at}, False)


def _distance(shape: Sizes, arguments: Arguments) -> Shape:
    both = broadcast([shape, arguments.shape("1")])
    return reduce(both, {len(both) - 1}, arguments.get("4") is True) if both else None


def _integral(shape: Sizes, arguments: Arguments) -> Shape:
    """`trapezoid(y, x, *, dx, dim)`: the dimension along which is integrated goes."""
    at = position(arguments.number("dim", -1), len(shape))
    return None if at is None else reduce(shape, {at}, False)


def loss(shape: Sizes, arguments: Arguments) -> Shape:
    """A loss of each element where nothing is averaged."""
    return broadcast([shape, arguments.shape("1")])


def classification(shape: Sizes, arguments: Arguments) -> Shape:
    """A loss of each row, whose scores or probabilities of classes stand in the second dimension;
    class numbers have the shape of the losses."""
    target = arguments.tensor("1")
    of_rows = reduce(shape, {min(1, len(shape) - 1)}, False) if shape else None
    if target is None or target.dtype != "int" or target.shape is None:
        return of_rows
    return target.shape


def rows(shape: Sizes, arguments: Arguments) -> Shape:
    """A loss of each row of the inputs."""
    return shape[:-1]


def _quantile(shape: Sizes, arguments: Arguments) -> Shape:
    """`quantile(input, q, dim, keepdim)`: one for each `q`, which is a number or a vector."""
    asked = arguments.shape("1")
    if asked is None and not isinstance(arguments.get("1"), float):
        return None
    kept = arguments.get("3", False)
    if isinstance(kept, Unknown):
        return None
    at = position(arguments.number("2"), len(shape)) if arguments.given("2") else None
    if at is None and arguments.given("2"):
        return None
    dims = {*range(len(shape))} if at is None else {at}
    return (*(asked or ()), *(reduce(shape, dims, kept is True) or ()))


def _bins(shape: Sizes, arguments: Arguments) -> Shape:
    """`histc(input, bins)`."""
    return (arguments.number("1", 100),)


def unreduced(of_each: Rule) -> Rule:
    """The rule of a loss: a scalar, unless `reduction="none"`."""

    def rule(shape: Sizes, arguments: Arguments) -> Shape:
        given = arguments.bound.items()
        reductions = [value for _, value in given if value in ("none", "mean", "sum")]
        unknown = any(isinstance(value, Unknown) for key, value in given if key not in _TENSORS)
        if reductions == ["none"] or arguments.get("reduce") is False:
            return of_each(shape, arguments)
        return () if reductions or not unknown else None

    return rule


def _by_number(shape: Sizes, arguments: Arguments) -> Shape:
    """A loss whose reduction is a number: 0, of each element, where it is left out."""
    given = arguments.number("4", 0) if not arguments.given("reduction") else None
    return loss(shape, arguments) if given == 0 else () if given in (1, 2) else None


RULES: dict[str, Rule] = {
    **{name: _reduction(name, "1", "2") for name in FIRST},
    **{name: _reduction(name, "1", "3") for name in SPREADS},
    **{name: _reduction(name, "2", "3") for name in SECOND},
    **{f"masked.{name}": _reduction(name, "1", "keepdim") for name in MASKED},
    "masked.norm": _reduction("norm", "2", "keepdim"),
    **{f"nn.functional.{name}": unreduced(loss) for name in ELEMENTWISE_LOSSES},
    "binary_cross_entropy_with_logits": _by_number,
    "nn.functional.cross_entropy": unreduced(classification),
    "nn.functional.nll_loss": unreduced(classification),
    "nn.functional.cosine_similarity": _similarity,
    "cosine_similarity": _similarity,
    **dict.fromkeys(("pairwise_distance", "nn.functional.pairwise_distance"), _distance),
    "nn.functional.triplet_margin_loss": unreduced(rows),
    "nn.functional.cosine_embedding_loss": unreduced(rows),
    "nn.functional.multi_margin_loss": unreduced(rows),
    "nn.functional.multilabel_margin_loss": unreduced(rows),
    "histc": _bins,
    "quantile": _quantile,
    "nanquantile": _quantile,
    "trapezoid": _integral,
    "trapz": _integral,
}
