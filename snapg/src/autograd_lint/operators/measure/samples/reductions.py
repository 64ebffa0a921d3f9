"""Reductions, scans and sorting."""

from autograd_lint.operators.measure.samples.making import Given, Samples, together, unary, x

_REDUCTIONS = (
    "sum mean prod amax amin std var argmax argmin any all median mode nansum nanmean"
    " var_mean std_mean"
)


def _reduction() -> Given:
    return [
        (x(),),
        (x(), 1),
        (x(), {"dim": 1}),
        (x(), -1, True),
        (x(), {"dim": 0, "keepdim": True}),
        (x(), (0, 1)),
    ]


def _along() -> Given:
    return [(x(), 1), (x(), {"dim": 1})]


SAMPLES: Samples = {
    **together(_REDUCTIONS, _reduction),
    **together("max min", lambda: [*_reduction(), (x(), x())]),
    **together("softmax log_softmax cumsum cumprod logsumexp", _along),
    "norm": lambda: [(x(),), (x(), 2), (x(), 1), (x(), 2, 1), (x(), {"dim": 1})],
    **together("trace nonzero", unary),
    "topk": lambda: [(x(), 2)],
    "sort": lambda: [(x(),), (x(), {"dim": 0})],
    "multinomial": lambda: [(x(), 1)],
    **together("svd_lowrank pca_lowrank", lambda: [(x(4, 3), 2)]),
    "slogdet": lambda: [(x(3, 3) + 3 * x(3, 1),)],
    "vander": lambda: [(x(3),)],
    **together("nuclear_norm frobenius_norm", lambda: [(x(), (0, 1))]),
}
