"""Lets loaders with workers run where no process can be started: as a worker would, but here."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

import torch
from torch.multiprocessing import reductions
from torch.utils.data import _utils, dataloader

from autograd_lint.live.confirm.steps import tensors

_reduce: Any = reductions.reduce_tensor
_storage: Any = torch.UntypedStorage


class WithoutWorkers:
    """While open, batches are made here under a worker's conditions, and must be fit to be sent.

    `used` says that a program asked for workers.
    """

    def __init__(self) -> None:
        self.used = False
        self._patches = ExitStack()

    def __enter__(self) -> WithoutWorkers:
        name = "_MultiProcessingDataLoaderIter"
        self._patches.enter_context(patch.object(dataloader, name, self._iterator))
        return self

    def __exit__(self, *details: object) -> None:
        self._patches.close()

    def _iterator(self, loader: Any) -> Any:
        self.used = True
        with patch.object(loader, "num_workers", 0), patch.object(loader, "timeout", 0):
            iterator: Any = dataloader._SingleProcessDataLoaderIter(loader)
        make = iterator._next_data
        info = _utils.worker.WorkerInfo(
            id=0, num_workers=loader.num_workers, seed=0, dataset=loader.dataset
        )

        def next_data() -> Any:
            with patch.object(_utils.worker, "_worker_info", info), _unshared():
                batch = make()
            for tensor in tensors(batch):
                if tensor.requires_grad and not tensor.is_leaf:
                    _reduce(tensor)  # raises what sending it would
            return batch

        iterator._next_data = next_data
        return iterator


def _unshared() -> Any:
    """Memory that a worker would share is this process's own."""
    own = classmethod(lambda cls, size, *, device="cpu": _storage(size, device=device))
    return patch.object(_storage, "_new_shared", own)
