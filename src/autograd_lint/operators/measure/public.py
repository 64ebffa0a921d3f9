"""What a torch offers beside operators: classes and what these have, functions, constants."""

import importlib
from collections.abc import Iterator
from types import ModuleType

_TORCH = "torch"
_MODULES = """
    torch torch.amp torch.autograd torch.autograd.forward_ad torch.autograd.functional
    torch.autograd.graph torch.compiler torch.cuda.amp torch.distributions torch.fft torch.func
    torch.library torch.linalg torch.nn torch.nn.attention torch.nn.functional torch.nn.init
    torch.nn.utils torch.nn.utils.parametrizations torch.nn.utils.parametrize torch.nn.utils.rnn
    torch.nn.utils.stateless torch.optim torch.optim.lr_scheduler torch.optim.swa_utils
    torch.sparse torch.special torch.utils.checkpoint torch.utils.data
"""
_CLASSES = """
    torch.Tensor torch.amp.GradScaler torch.autograd.Function torch.nn.Module torch.optim.Optimizer
    torch.optim.lr_scheduler.LRScheduler torch.optim.swa_utils.AveragedModel
"""


def public_names() -> frozenset[str]:
    """The dotted names of all that programs use of the torch that runs."""
    return frozenset(name for module in _MODULES.split() for name in _of_module(module))


def _of_module(module: str) -> Iterator[str]:
    try:
        place = importlib.import_module(module)
    except ImportError:
        return
    for name in dir(place):
        if name.startswith("_") or len(name) == 1 or not _is_its_own(getattr(place, name)):
            continue
        yield f"{module}.{name}"
        if f"{module}.{name}" in _CLASSES.split():
            members = (one for one in dir(getattr(place, name)) if not one.startswith("_"))
            yield from (f"{module}.{name}.{member}" for member in members)


def _is_its_own(value: object) -> bool:
    """Whether a value is torch's, and not imported from elsewhere."""
    if isinstance(value, bool | ModuleType):
        return False
    return str(getattr(value, "__module__", _TORCH)).partition(".")[0] == _TORCH
