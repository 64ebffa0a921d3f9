"""Views, pieces, and tensors put together."""

import torch

from autograd_lint.operators.measure.samples.making import Given, Samples, together, unary, x


def _many() -> Given:
    return [([x(), x()],), ([x(), x()], 1), ((x(), x(), x()), {"dim": 1})]


def _pieces() -> Given:
    return [(x(4, 4), 2), (x(4, 4), 2, 1), (x(4, 4), 2, {"dim": 1})]


def _reshaped() -> Given:
    return [
        (x(), -1),
        (x(), 4, 3),
        (x(), (2, 6)),
        (x().t(), -1),
        (x().t(), 2, 6),
        (x().t(), (2, 6)),
    ]


SAMPLES: Samples = {
    **together("t T mT H mH real ravel squeeze squeeze_copy __iter__ __reversed__ alias", unary),
    **together("detach_copy slice_copy", unary),
    "contiguous": lambda: [(x(),), (x().t(),)],
    "reshape": _reshaped,
    "flatten": lambda: [(x(),), (x(2, 3, 4), 1), (x().t(),)],
    "view": lambda: [(x(), -1), (x(), 4, 3), (x(), (4, 3)), (x(), torch.int32)],
    "view_as": lambda: [(x(3, 4), x(4, 3))],
    "expand": lambda: [(x(1, 4), 3, 4), (x(1, 4), (3, 4))],
    "expand_as": lambda: [(x(1, 4), x())],
    "permute": lambda: [(x(), 1, 0), (x(), (1, 0))],
    **together("transpose transpose_ swapaxes swapdims", lambda: [(x(), 0, 1)]),
    **together("unsqueeze unsqueeze_", lambda: [(x(), 0)]),
    **together("select select_copy", lambda: [(x(), 0, 1)]),
    "narrow": lambda: [(x(), 0, 0, 2)],
    "repeat": lambda: [(x(), 2, 1)],
    "as_subclass": lambda: [(x(), torch.Tensor)],
    "unbind": lambda: [(x(),), (x(), 1), (x(), {"dim": 1})],
    **together("cat stack concat hstack vstack", _many),
    **together("chunk split tensor_split unsafe_chunk unsafe_split split_copy", _pieces),
    "unsafe_split_with_sizes": lambda: [(x(4, 4), [1, 3])],
    "pixel_shuffle": lambda: [(x(1, 4, 2, 2), 2)],
    "pixel_unshuffle": lambda: [(x(1, 1, 4, 4), 2)],
    "channel_shuffle": lambda: [(x(1, 4, 2, 2), 2)],
}
