"""Sources: `LightningModule` in lightning/pytorch/core/module.py, `_configure_optimizers` in
lightning/pytorch/core/optimizer.py, `save_hyperparameters` in
lightning/pytorch/utilities/parsing.py.
"""

import inspect

from torch import nn
from torch.optim import Optimizer

class LightningModule(nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()
        self._optimizers = None

    def save_hyperparameters(self, *args, ignore=None, frame=None, logger=True):
        if len(args) == 1 and not isinstance(args[0], str):
            self.hparams = AttributeDict(args[0]) if isinstance(args[0], dict) else args[0]
            return
        given = _given_to(self, inspect.currentframe().f_back)
        self.hparams = AttributeDict(
            {name: value for name, value in given.items() if not args or name in args}
        )

    def manual_backward(self, loss, *args, **kwargs):
        loss.backward(*args, **kwargs)

    def optimizers(self, use_pl_optimizer=True):
        found = self._configured()
        return found[0] if len(found) == 1 else found

    def _configured(self):
        if self._optimizers is None:
            self._optimizers = _listed(self.configure_optimizers())
        return self._optimizers

    def toggle_optimizer(self, optimizer):
        kept = _parameters([optimizer])
        others = _parameters(self._configured())
        others = [one for one in others if all(one is not other for other in kept)]
        self._toggled = [one for one in others if one.requires_grad]
        for parameter in self._toggled:
            parameter.requires_grad = False

    def untoggle_optimizer(self, optimizer):
        for parameter in self._toggled:
            parameter.requires_grad = True

class AttributeDict(dict):
    def __getattr__(self, name):
        return self[name] if name in self else _from_elsewhere(name)

    def __setattr__(self, name, value):
        self[name] = value

def _given_to(module, frame):
    given = {}
    while frame is not None and frame.f_locals.get("self") is module:
        given = {**frame.f_locals, **frame.f_locals.get("kwargs", {}), **given}
        frame = frame.f_back
    return given

def _from_elsewhere(name): ...
def _parameters(optimizers):
    return [one for opt in optimizers for group in opt.param_groups for one in group["params"]]

def _listed(configured):
    if isinstance(configured, Optimizer):
        return [configured]
    if isinstance(configured, dict):
        return [configured["optimizer"]]
    if isinstance(configured[0], (list, tuple)):
        return list(configured[0])
    return [one["optimizer"] if isinstance(one, dict) else one for one in configured]
