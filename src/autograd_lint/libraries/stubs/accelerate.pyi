"""Source: `Accelerator` in accelerate/accelerator.py."""

from contextlib import contextmanager

import torch
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

    def clip_grad_norm_(self, parameters, max_norm, norm_type=2):
        return torch.nn.utils.clip_grad_norm_(parameters, max_norm, norm_type)

    def clip_grad_value_(self, parameters, clip_value):
        torch.nn.utils.clip_grad_value_(parameters, clip_value)

    @contextmanager
    def accumulate(self, *models):
        yield

    @contextmanager
    def no_sync(self, model):
        yield

    @contextmanager
    def autocast(self):
        yield
