"""What tensors hold, as a few numbers, to tell whether something changed it."""

import torch

from autograd_lint.live.private import unobserved

_SMALL = 4096
Digest = int | torch.Tensor
"""A number; on a GPU the sums that it would be made of, so that taking them does not wait."""


def digest(tensor: torch.Tensor) -> Digest | None:
    """Sums over the bits of a tensor; None where nothing can be read."""
    try:
        with unobserved(), torch.no_grad():
            words = _words(tensor.detach())
            sums = _sums(words)
            return hash(tuple(sums.tolist())) if words.device.type == "cpu" else sums
    except Exception:  # it is not at all what it seems, as while torch compiles
        return None


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


def differ(before: Digest | None, after: Digest | None) -> bool:
    """Whether two digests show different contents; False where either is missing."""
    if before is None or after is None:
        return False
    if isinstance(before, int) or isinstance(after, int):
        return bool(before != after)
    with unobserved():
        return before.shape != after.shape or bool((before != after).any())
