"""Source: `Accelerator` in accelerate/accelerator.py."""

from contextlib import contextmanager

from torch import nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler
from torch.utils.data import DataLoader

class Accelerator:
    def prepare(self, *args: nn.Module | Optimizer | DataLoader | LRScheduler):
        return args[0] if len(args) == 1 else args

    def prepare_model(self, model: nn.Module):
        return model

    def prepare_optimizer(self, optimizer: Optimizer):
        return optimizer

    def prepare_data_loader(self, data_loader: DataLoader):
        return data_loader

    def prepare_scheduler(self, scheduler: LRScheduler):
        return scheduler

    def unwrap_model(self, model: nn.Module, keep_fp32_wrapper=True):
        return model

    def backward(self, loss, **kwargs):
        loss.backward(**kwargs)

    @contextmanager
    def accumulate(self, *models):
        yield

    @contextmanager
    def no_sync(self, model):
        yield

    @contextmanager
    def autocast(self):
        yield
