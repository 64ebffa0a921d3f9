"""Source: `instantiate` in hydra/_internal/instantiate/_instantiate2.py.

What a configuration makes is not known, but of parameters it makes an optimizer.
"""

from torch.nn import Parameter
from torch.optim import Optimizer

def instantiate(config, *args, **kwargs):
    given = args[0] if args else kwargs.get("params")
    if isinstance(given, list) and _is_trained(given[0]):
        return Optimizer(given, {"lr": 0.1})
    from hydra._internal.instantiate import _instantiate2

    return _instantiate2.instantiate(config, *args, **kwargs)

def _is_trained(first):
    return isinstance(first, Parameter) or (isinstance(first, dict) and "params" in first)
