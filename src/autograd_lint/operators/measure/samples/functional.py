"""The functions of `torch.nn.functional`."""

from autograd_lint.operators.measure.samples.making import Given, Samples, ids, together, unary, x

_F = "nn.functional."
_ACTIVATIONS = "relu leaky_relu elu celu selu relu6 hardtanh hardswish hardsigmoid silu mish rrelu"
_IN_PLACE = "relu_ leaky_relu_ elu_ celu_ selu_ hardtanh_ rrelu_"
_LOSSES = (
    "mse_loss l1_loss smooth_l1_loss huber_loss kl_div binary_cross_entropy soft_margin_loss"
    " binary_cross_entropy_with_logits poisson_nll_loss hinge_embedding_loss"
)


def _activation() -> Given:
    return [(x(),), (x(), {"inplace": True})]


def _loss() -> Given:
    reductions = ("none", "sum", "mean")
    return [(x(), x()), *((x(), x(), {"reduction": each}) for each in reductions)]


def _class_loss() -> Given:
    return [
        (x(3, 4), ids(3)),
        (x(3, 4), ids(3), x(4)),
        (x(3, 4), ids(3), {"weight": x(4)}),
        (x(3, 4), ids(3), {"reduction": "none"}),
        (x(3, 4), ids(3), {"reduction": "sum"}),
        (x(3, 4, 2), ids(3, 2)),
    ]


def _cross_entropy() -> Given:
    return [
        *_class_loss(),
        (x(3, 4), ids(3), {"label_smoothing": 0.1}),
        (x(3, 4), x(3, 4)),
    ]


def _dropout(*shape: int) -> Given:
    data = x(*shape)
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


def _images(rank: int) -> Given:
    data, weight = (2, 3, *(6,) * rank), (5, 3, *(3,) * rank)
    return [
        (x(*data), x(*weight), x(5)),
        (x(*data), x(*weight)),
        (x(*data), x(*weight), {"bias": x(5), "padding": 1}),
        (x(*data), x(*weight), None, {"stride": 2}),
    ]


def _batch_norm() -> Given:
    data, mean, scale = x(4, 3, 5), x(3), x(3)
    return [
        (data, mean, scale, x(3), x(3)),
        (data, mean, scale, {"weight": x(3), "bias": x(3), "training": True}),
        (data, mean, scale, {"training": True}),
        (data, mean, scale, {"training": True, "momentum": 0.2}),
        (data, mean, scale, x(3), x(3), {"training": True, "momentum": 0.2}),
        (data, None, None, {"training": True}),
    ]


def _linear() -> Given:
    return [
        (x(3, 4), x(5, 4), x(5)),
        (x(3, 4), x(5, 4)),
        (x(2, 3, 4), x(5, 4), x(5)),
    ]


def _layer_norm() -> Given:
    return [(x(), (4,), x(4), x(4)), (x(), (4,)), (x(), (4,), {"weight": x(4)})]


def _grids() -> Given:
    return [(x(1, 3, 4, 4), {"scale_factor": 2}), (x(1, 3, 4, 4), (8, 8))]


SAMPLES: Samples = {
    **together(_ACTIVATIONS, _activation),
    **together(_ACTIVATIONS, _activation, _F),
    **together(_IN_PLACE, unary, _F),
    **together("gelu softplus logsigmoid softsign tanhshrink softshrink hardshrink", unary, _F),
    **together("sigmoid tanh normalize", unary, _F),
    **together("softmax log_softmax softmin", lambda: [(x(), 1), (x(), {"dim": 1})], _F),
    "nn.functional.gumbel_softmax": lambda: [(x(),), (x(), x()), (x(), {"hard": True})],
    "nn.functional.threshold": lambda: [(x(), 0.2, 0.0), (x(), 0.2, 0.0, True)],
    **together("threshold threshold_", lambda: [(x(), 0.2, 0.0)]),
    "nn.functional.linear": _linear,
    "nn.functional.conv1d": lambda: _images(1),
    "nn.functional.conv2d": lambda: _images(2),
    "nn.functional.conv3d": lambda: _images(3),
    "nn.functional.batch_norm": _batch_norm,
    "batch_norm": lambda: [(x(4, 3), x(3), x(3), x(3), x(3), True, 0.1, 1e-5, True)],
    "nn.functional.layer_norm": _layer_norm,
    "nn.functional.embedding": lambda: [(ids(3), x(3, 4))],
    "embedding": lambda: [(x(3, 4), ids(3))],
    "nn.functional.embedding_bag": lambda: [
        (ids(3), x(3, 4), ids(1) * 0),
        *((ids(3), x(3, 4), ids(1) * 0, {"mode": mode}) for mode in ("sum", "mean", "max")),
        (ids(3), x(3, 4), ids(1) * 0, {"mode": "sum", "per_sample_weights": x(3)}),
    ],
    "nn.functional.dropout1d": lambda: _dropout(2, 3, 4),
    **together("dropout dropout2d alpha_dropout", lambda: _dropout(2, 3, 4, 4), _F),
    **together("feature_alpha_dropout", lambda: _dropout(2, 3, 4, 4), _F),
    "nn.functional.dropout3d": lambda: _dropout(2, 3, 4, 4, 4),
    **together(_LOSSES, _loss, _F),
    "binary_cross_entropy_with_logits": lambda: [(x(), x()), (x(), x(), x()), (x(), x(), x(), x())],
    "nn.functional.cross_entropy": _cross_entropy,
    "nn.functional.nll_loss": _class_loss,
    "nn.functional.scaled_dot_product_attention": lambda: [
        (x(2, 2, 6, 4), x(2, 2, 6, 4), x(2, 2, 6, 4)),
        (x(2, 2, 6, 4), x(2, 2, 6, 4), x(2, 2, 6, 4), {"is_causal": True}),
    ],
    "nn.functional.fold": lambda: [(x(1, 12, 9), (4, 4), (2, 2))],
    "nn.functional.affine_grid": lambda: [(x(1, 2, 3), (1, 1, 4, 4))],
    "nn.functional.lp_pool1d": lambda: [(x(1, 3, 8), 2.0, 2)],
    "nn.functional.lp_pool2d": lambda: [(x(1, 3, 8, 8), 2.0, 2)],
    "nn.functional.lp_pool3d": lambda: [(x(1, 3, 4, 4, 4), 2.0, 2)],
    "max_pool1d": lambda: [(x(1, 3, 8), 2)],
    "max_pool2d": lambda: [(x(1, 3, 8, 8), 2)],
    "max_pool3d": lambda: [(x(1, 3, 4, 4, 4), 2)],
    "nn.functional.upsample": _grids,
    "nn.functional.interpolate": _grids,
}
