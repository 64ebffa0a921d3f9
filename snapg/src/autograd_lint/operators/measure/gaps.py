"""What is the matter with a gradient: no derivative, no gradient at all, no second derivative."""

from collections.abc import Sequence

import torch

from autograd_lint.operators.facts import GapKind

_UNDERIVED = ("derivative", "not implemented")


def find_gap(roots: Sequence[torch.Tensor], leaves: Sequence[torch.Tensor]) -> GapKind | None:
    """What hinders gradients of `roots` from being taken, once and again, for all of `leaves`.

    The graph is kept.
    """
    gradients = [plain_gradient(root) for root in roots]
    try:
        found = _gradients(roots, leaves, gradients)
    except RuntimeError as error:
        return GapKind.REFUSED if _is_underived(error) else None
    if not found:
        return GapKind.NOTHING
    return GapKind.ONCE if _only_once(roots, leaves, gradients) else None


def plain_gradient(root: torch.Tensor) -> torch.Tensor:
    """A gradient for a root; what is sparse cannot be filled and gets one of its own pattern."""
    if root.layout is torch.sparse_coo:
        return root.detach().clone()
    return torch.ones_like(root)


def _gradients(
    roots: Sequence[torch.Tensor], leaves: Sequence[torch.Tensor], gradients: list[torch.Tensor]
) -> list[torch.Tensor]:
    given = torch.autograd.grad(roots, leaves, gradients, create_graph=True, allow_unused=True)
    return [gradient for gradient in given if gradient is not None]


def _only_once(
    roots: Sequence[torch.Tensor], leaves: Sequence[torch.Tensor], gradients: list[torch.Tensor]
) -> bool:
    """Whether a gradient has a graph through which backward cannot go."""
    moving = [gradient.requires_grad_() for gradient in gradients]
    found = [each for each in _gradients(roots, leaves, moving) if each.requires_grad]
    try:
        again = list(map(torch.ones_like, found))
        torch.autograd.grad(found, leaves, again, retain_graph=True, allow_unused=True)
    except RuntimeError as error:
        return _is_underived(error)
    return False


def _is_underived(error: RuntimeError) -> bool:
    return all(word in str(error) for word in _UNDERIVED)
