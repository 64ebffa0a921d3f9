"""Indexing, masks, gathering and scattering."""

import torch

from autograd_lint.operators.measure.samples.making import Given, Samples, ids, mask, together, x


def _indices() -> Given:
    rows = torch.tensor([0, 2])
    return [
        (x(), 0),
        (x(), slice(0, 2)),
        (x(), (slice(None), 1)),
        (x(), (0, 1)),
        (x(), None),
        (x(), ...),
        (x(), slice(None)),
        (x(), (slice(0, 2), slice(1, 3))),
        (x(), (..., 0)),
        (x(), rows),
        (x(), [0, 1]),
        (x(), (rows, rows)),
        (x(), (rows, slice(None))),
        (x(), (slice(None), [0, 1])),
        (x(), mask()),
        (x(), mask(3)),
        (x(), (mask(3), 0)),
    ]


def _assignments() -> Given:
    found: Given = []
    for _, index in _indices():
        target = x()
        value = torch.rand_like(target[index])
        found += [(target, index, 0.5), (target, index, value), (target, index, torch.tensor(0.5))]
    return found


def _fills() -> Given:
    return [(x(), mask(), 0.0), (x(), mask(), torch.tensor(0.0))]


def _scatter() -> Given:
    return [(x(), 1, ids(3, 2), x(3, 2)), (x(), 1, ids(3, 2), 0.5)]


def _where() -> Given:
    return [(mask(), x(), x()), (mask(), x(), 0.0), (mask(), 0.0, x()), (mask(),)]


SAMPLES: Samples = {
    "__getitem__": _indices,
    "__setitem__": _assignments,
    "where": _where,
    "Tensor.where": lambda: [(x(), mask(), x()), (x(), mask(), 0.0)],
    **together("masked_fill masked_fill_", _fills),
    "index_select": lambda: [(x(), 0, ids(2))],
    "gather": lambda: [(x(), 1, ids(3, 2))],
    **together("scatter scatter_", _scatter),
    **together("scatter_add scatter_add_", lambda: [(x(), 1, ids(3, 2), x(3, 2))]),
    **together("index_add index_copy", lambda: [(x(), 0, torch.tensor([0, 2]), x(2, 4))]),
    "index_fill": lambda: [(x(), 0, torch.tensor([0, 2]), 0.5)],
}
