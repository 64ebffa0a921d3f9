"""Source: mmengine/optim/optimizer/optimizer_wrapper.py; each step updates."""

from contextlib import contextmanager

from torch import nn
from torch.optim import Optimizer

class OptimWrapper:
    def __init__(self, optimizer: Optimizer, accumulative_counts=1, clip_grad=None):
        self.optimizer = optimizer
        self._accumulative_counts = accumulative_counts
        self.clip_grad_kwargs = clip_grad

    @contextmanager
    def optim_context(self, model):
        yield

    def scale_loss(self, loss):
        return loss / self._accumulative_counts

    def backward(self, loss, **kwargs):
        loss.backward(**kwargs)

    def zero_grad(self, **kwargs):
        self.optimizer.zero_grad(**kwargs)

    def step(self, **kwargs):
        if self.clip_grad_kwargs:
            for group in self.optimizer.param_groups:
                nn.utils.clip_grad_norm_(group["params"], **self.clip_grad_kwargs)
        self.optimizer.step(**kwargs)

    def update_params(self, loss, step_kwargs=None, zero_kwargs=None):
        loss = self.scale_loss(loss)
        self.backward(loss)
        self.step()
        self.zero_grad()

class AmpOptimWrapper(OptimWrapper):
    def __init__(self, loss_scale="dynamic", dtype=None, use_fsdp=False, **kwargs):
        super().__init__(**kwargs)
