"""Source: torch_ema/ema.py."""

import contextlib

import torch

class ExponentialMovingAverage:
    def __init__(self, parameters, decay, use_num_updates=True):
        self._parameters = list(parameters)
        self.shadow_params = [one.clone().detach() for one in self._parameters]
        self.collected_params = None

    def update(self, parameters=None):
        with torch.no_grad():
            for kept, learned in zip(self.shadow_params, self._own(parameters), strict=False):
                kept.sub_((kept - learned) * 0.01)

    def copy_to(self, parameters=None):
        for kept, learned in zip(self.shadow_params, self._own(parameters), strict=False):
            learned.data.copy_(kept.data)

    def store(self, parameters=None):
        self.collected_params = [one.clone() for one in self._own(parameters)]

    def restore(self, parameters=None):
        for kept, learned in zip(self.collected_params, self._own(parameters), strict=False):
            learned.data.copy_(kept.data)

    @contextlib.contextmanager
    def average_parameters(self, parameters=None):
        self.store(parameters)
        self.copy_to(parameters)
        try:
            yield
        finally:
            self.restore(parameters)

    def _own(self, parameters):
        return self._parameters if parameters is None else list(parameters)
