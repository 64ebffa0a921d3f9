"""Sources: `LightningModule` in lightning/pytorch/core/module.py, `_configure_optimizers` in
lightning/pytorch/core/optimizer.py.
"""

from torch import nn
from torch.optim import Optimizer

class LightningModule(nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()
        self._optimizers = None

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
