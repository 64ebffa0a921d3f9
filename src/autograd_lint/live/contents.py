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
            bits = _bits(tensor.detach())
            if bits.numel() <= _SMALL:
                weights = torch.arange(1, bits.numel() + 1, device=bits.device)
                return torch.stack([bits.sum(), (bits * weights).sum()])
            return torch.stack([bits.sum(), bits[::2].sum(), bits[::3].sum()])
    except (RuntimeError, NotImplementedError, TypeError):
        return None


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    """The memory as integers, so that NaNs compare equal to themselves."""
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    flat = tensor.reshape(-1)
    integers = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    return flat.view(integers[tensor.element_size()])


def differ(before: torch.Tensor | None, after: torch.Tensor | None) -> bool:
    """Whether two digests show different contents; False where either is missing."""
    if before is None or after is None:
        return False
    with unobserved():
        return before.shape != after.shape or bool((before != after).any())
