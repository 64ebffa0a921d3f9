"""What batch normalization writes to though no schema says so: its running statistics.

In training it overwrites them, and counts no version. What ran in evaluation mode before has saved
them for its backward. Source: `batch_norm` in aten/src/ATen/native/Normalization.cpp and the
schemas of `native_batch_norm` and the like in native_functions.yaml.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn.modules.batchnorm import _BatchNorm

from autograd_lint.live.contents import digest
from autograd_lint.live.private import storage_id, version_of
from autograd_lint.live.writes import Held, Note, geometry_of

NORMALIZING = frozenset({"native_batch_norm", "cudnn_batch_norm", "miopen_batch_norm"})
_STATISTICS, _TRAINING = slice(3, 5), 5  # where their arguments are


class Statistics:
    """Is told of each batch normalization that is about to run."""

    def __init__(self) -> None:
        self._used: set[int] = set()  # the storages of what ran in evaluation mode

    def overwritten(self, args: Sequence[Any]) -> list[Note]:
        """The statistics that it is about to overwrite and that an earlier one may have saved."""
        given = [one for one in args[_STATISTICS] if isinstance(one, torch.Tensor)]
        found = {key: one for one in given if (key := storage_id(one)) is not None}
        if not args[_TRAINING]:
            self._used.update(found)
            return []
        return [_as_it_is(one, key) for key, one in found.items() if key in self._used]


def batches_of(layer: _BatchNorm) -> int | None:
    """How often a layer has counted a batch: its mean is written without that being counted."""
    counted = layer.num_batches_tracked
    return version_of(counted) if counted is not None else None


def _as_it_is(tensor: torch.Tensor, storage: int) -> Note:
    before = digest(tensor)
    held = None if before is None else Held(geometry_of(tensor), before)
    return Note(tensor, storage, version_of(tensor), held)
