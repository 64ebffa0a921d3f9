"""What tensors hold, as a few numbers, to tell whether something changed it."""

import torch

from autograd_lint.live.private import unobserved

_SMALL = 4096


def digest(tensor: torch.Tensor) -> torch.Tensor | None:
    """Sums over the bits of a tensor; None where nothing can be read.

    They stay on the tensor's device, so that taking them does not wait for a GPU.
    """
    try:
        with torch.no_grad(), unobserved():
            words = _words(tensor.detach())
            if words.numel() > _SMALL:
                return torch.stack([words.sum(), words[::2].sum()])
            weights = torch.arange(1, words.numel() + 1, device=words.device)
            return torch.stack([words.sum(), (words * weights).sum()])
    except (RuntimeError, NotImplementedError, TypeError):
        return None


def _words(tensor: torch.Tensor) -> torch.Tensor:
    """The memory as integers, so that NaNs compare equal to themselves."""
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    flat = tensor.reshape(-1)
    if flat.numel() % 8 == 0 and flat.storage_offset() % 8 == 0:
        return flat.view(torch.int64)  # several times as fast to add up as narrow ones
    integers = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    return flat.view(integers[tensor.element_size()])


def differ(before: torch.Tensor | None, after: torch.Tensor | None) -> bool:
    """Whether two digests show different contents; False where either is missing."""
    if before is None or after is None:
        return False
    with unobserved():
        return before.shape != after.shape or bool((before != after).any())
