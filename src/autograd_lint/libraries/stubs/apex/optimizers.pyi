"""Source: apex/optimizers/fused_adam.py, fused_lamb.py and fused_sgd.py."""

import torch

def FusedAdam(params, lr=0.001, **options):
    return torch.optim.Adam(params, lr=lr)

def FusedLAMB(params, lr=0.001, **options):
    return torch.optim.Adam(params, lr=lr)

def FusedSGD(params, lr=0.001, **options):
    return torch.optim.SGD(params, lr=lr)
