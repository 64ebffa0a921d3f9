"""Source: fastai/optimizer.py; optimizers step under `no_grad`, as those of torch do."""

import torch

class OptimWrapper(torch.optim.Optimizer):
    def __init__(self, params=None, opt=None, hp_map=None, convert_groups=True, **kwargs):
        self.opt = opt(list(params), **kwargs) if callable(opt) else opt
        self.param_groups = self.opt.param_groups

    def step(self, closure=None):
        self.opt.step()

    def zero_grad(self, set_to_none=True):
        self.opt.zero_grad()

def SGD(params, lr, **options):
    return torch.optim.SGD(list(params), lr=lr)

def Adam(params, lr, **options):
    return torch.optim.Adam(list(params), lr=lr)

def RMSProp(params, lr, **options):
    return torch.optim.RMSprop(list(params), lr=lr)

def ranger(params, lr, **options):
    return torch.optim.RAdam(list(params), lr=lr)
