"""Source: torchmetrics/metric.py. States are updated with grad mode off; only what `forward`
returns for its batch can have a graph."""

import torch
from torch import nn

class Metric(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self._enable_grad = False
        self._defaults = {}
        self.update = self._wrap_update(self.update)

    def add_state(self, name, default, dist_reduce_fx=None, persistent=False):
        self._defaults[name] = default
        self._restore(name)

    def _restore(self, name):
        default = self._defaults[name]
        setattr(self, name, [] if isinstance(default, list) else default.detach().clone())

    def _wrap_update(self, update):
        def wrapped(*args, **kwargs):
            with torch.set_grad_enabled(self._enable_grad):
                update(*args, **kwargs)

        return wrapped

    def reset(self):
        for name in self._defaults:
            self._restore(name)

    def update(self, *args, **kwargs): ...
    def compute(self): ...
    def forward(self, *args, **kwargs):
        kept = {name: getattr(self, name) for name in self._defaults}
        self.reset()
        self._enable_grad = True
        self.update(*args, **kwargs)
        value = self.compute()
        self._enable_grad = False
        for name in kept:
            setattr(self, name, kept[name])
        self.update(*args, **kwargs)
        return value
