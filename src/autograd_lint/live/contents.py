"""What tensors hold, as a few numbers, to tell whether something changed it."""

from __future__ import annotations

from collections import deque
from functools import cache

import torch

from autograd_lint.live.private import is_captured, unobserved, without_grad

_FEW, _SMALL = 256, 4096
_AT_ONCE = 512  # places for the sums of one tensor of a GPU


class Sums:
    """The sums over a tensor of a GPU, on their way to the host: to ask for them is to wait.

    Nothing on the device is kept for them, and taking them does not wait.
    """

    __slots__ = ("_device", "_free", "_place", "_value")

    def __init__(self, sums: torch.Tensor, place: torch.Tensor, free: deque[torch.Tensor]) -> None:
        self._device = sums.device
        self._value: int | None = None
        self._place = place
        self._free = free
        place.copy_(sums, non_blocking=True)

    def __del__(self) -> None:
        self._free.append(self._place)

    def value(self) -> int:
        """The number that they make."""
        if self._value is None:
            torch.cuda.synchronize(self._device)
            self._value = hash(tuple(self._place.tolist()))
        return self._value


@cache
def _places() -> deque[torch.Tensor]:
    """Memory of the host that a GPU can write to, in pieces for the sums of one tensor each.

    The one that was free first is taken first: nothing is on its way to it any more.
    """
    return deque()


def _sent(sums: torch.Tensor) -> Sums:
    free = _places()
    if not free:
        free.extend(torch.empty(_AT_ONCE, 2, dtype=torch.int64, pin_memory=True).unbind())
    return Sums(sums, free.popleft(), free)


Digest = int | Sums


def digest(tensor: torch.Tensor) -> Digest | None:
    """Sums over the bits of a tensor, the bits of a small one; None where nothing can be read.

    What is captured for a CUDA graph is not computed now, and would be computed in each replay.
    """
    try:
        if is_captured(tensor):
            return None
        with unobserved(), without_grad():
            words = _words(tensor.detach())
            if words.is_cuda:
                return _sent(_sums(words))
            numbers = words if words.numel() <= _FEW else _sums(words)
            return hash(tuple(numbers.tolist()))
    except Exception:  # it is not at all what it seems, as while torch compiles
        return None


def settle(tensor: torch.Tensor) -> None:
    """Wait for a GPU, whose other streams may still compute what a tensor is to hold."""
    if tensor.is_cuda and not is_captured(tensor):
        torch.cuda.synchronize(tensor.device)


def _sums(words: torch.Tensor) -> torch.Tensor:
    if words.numel() > _SMALL:
        return torch.stack([words.sum(), words[::2].sum()])
    weights = torch.arange(1, words.numel() + 1, device=words.device)
    return torch.stack([words.sum(), (words * weights).sum()])


def _words(tensor: torch.Tensor) -> torch.Tensor:
    """The memory as integers, so that NaNs compare equal to themselves."""
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    flat = tensor.reshape(-1)
    if flat.numel() % 8 == 0 and flat.storage_offset() % 8 == 0:
        return flat.view(torch.int64)  # several times as fast to add up as narrow ones
    integers = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    return flat.view(integers[tensor.element_size()])


def number_of(digest: Digest) -> int:
    """A digest as one number; of a GPU's memory it is waited for."""
    return digest if isinstance(digest, int) else digest.value()


def differ(before: Digest | None, after: Digest | None) -> bool:
    """Whether two digests show different contents; False where either is missing."""
    if before is None or after is None:
        return False
    return number_of(before) != number_of(after)
