"""Source: `Fabric` in lightning/fabric/fabric.py."""

from contextlib import contextmanager

from torch import nn
from torch.optim import Optimizer
from torch.utils.data import DataLoader

class Fabric:
    def setup(self, module: nn.Module, *optimizers: Optimizer):
        return (module, *optimizers) if optimizers else module

    def setup_module(self, module: nn.Module):
        return module

    def setup_optimizers(self, *optimizers: Optimizer):
        return optimizers[0] if len(optimizers) == 1 else optimizers

    def setup_dataloaders(self, *dataloaders: DataLoader):
        return dataloaders[0] if len(dataloaders) == 1 else dataloaders

    def backward(self, tensor, *args, **kwargs):
        tensor.backward(*args, **kwargs)

    @contextmanager
    def no_backward_sync(self, module, enabled=True):
        yield

    @contextmanager
    def autocast(self):
        yield
