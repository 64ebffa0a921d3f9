"""Sparse tensors: making them, and what is asked of them."""

import torch

from autograd_lint.operators.measure.samples.making import Given, Samples, together, x

_AT = ((0, 1, 2), (1, 2, 0))


def _sparse() -> torch.Tensor:
    return torch.sparse_coo_tensor(torch.tensor(_AT), x(3), (3, 3), check_invariants=True)


def _coalesced() -> torch.Tensor:
    return _sparse().coalesce()


def _made() -> Given:
    places = torch.tensor(_AT)
    return [
        (places, x(3), (3, 3)),
        (places, x(3)),
        (places, x(3), (3, 3), {"is_coalesced": True}),
        (places, [1.0, 2.0, 3.0], (3, 3)),
    ]


def _compressed() -> Given:
    rows, columns = torch.tensor([0, 1, 2, 3]), torch.tensor([1, 2, 0])
    return [(rows, columns, x(3), (3, 3)), (rows, columns, x(3))]


SAMPLES: Samples = {
    "sparse_coo_tensor": _made,
    "sparse_csr_tensor": _compressed,
    "sparse_csc_tensor": _compressed,
    "coalesce": lambda: [(_sparse(),)],
    **together("_values _indices", lambda: [(_sparse(),)]),
    **together("values indices", lambda: [(_coalesced(),)]),
    "sparse_mask": lambda: [(x(3, 3), _coalesced().detach())],
    "_coalesced_": lambda: [(_sparse(), True)],
    "sparse.mm": lambda: [(_coalesced(), x(3, 3))],
    "sparse.sum": lambda: [(_coalesced(),), (_coalesced(), 0)],
    **together("sparse.softmax sparse.log_softmax", lambda: [(_coalesced(), 1)]),
}
