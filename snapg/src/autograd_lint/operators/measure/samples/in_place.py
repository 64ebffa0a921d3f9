"""What writes into tensors and has no sample of its functional form."""

import torch

from autograd_lint.operators.measure.samples.making import Given, Samples, mask, together, unary, x

_RANDOM = "normal_ uniform_ exponential_ random_ cauchy_ log_normal_ geometric_"
_INIT = (
    "zeros_ ones_ normal_ uniform_ xavier_uniform_ xavier_normal_ kaiming_uniform_ kaiming_normal_"
    " orthogonal_ trunc_normal_ eye_ zeros ones"
)


def _dropout() -> Given:
    return [(x(), 0.5, True), (x(), 0.5, False), (x(), 0.0, True)]


SAMPLES: Samples = {
    **together("zero_ t_ squeeze_ detach_ requires_grad_ share_memory_", unary),
    **together(_RANDOM, lambda: [(x(),), (x(), 0.5)]),
    "bernoulli": lambda: [(x(),), (x(), 0.4), (x(), 0)],
    "bernoulli_": lambda: [(x(),), (x(), 0.5), (x(), x())],
    "copy_": lambda: [(x(), x()), (x(), x(4))],
    "fill_": lambda: [(x(), 0.0), (x(), torch.tensor(1.0))],
    "fill_diagonal_": lambda: [(x(3, 3), 0.5)],
    "set_": lambda: [(x(), x())],
    "resize_": lambda: [(x(), (2, 2))],
    "resize_as_": lambda: [(x(), x())],
    "apply_": lambda: [(x(), abs)],
    "map_": lambda: [(x(), x(), max)],
    "masked_scatter_": lambda: [(x(), mask(), x())],
    **together("dropout alpha_dropout feature_dropout feature_alpha_dropout", _dropout),
    **together("dropout_ alpha_dropout_ feature_dropout_ feature_alpha_dropout_", _dropout),
    **together("native_dropout", lambda: [(x(), 0.5, True)]),
    **together(_INIT, unary, "nn.init."),
    "nn.init.constant_": lambda: [(x(), 0.5)],
    "nn.init.sparse_": lambda: [(x(), 0.5)],
    "nn.init.dirac_": lambda: [(x(3, 3, 3),)],
}
