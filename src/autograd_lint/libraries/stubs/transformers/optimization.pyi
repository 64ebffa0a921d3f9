"""Source: transformers/optimization.py; AdamW was part of it before version 5."""

import torch

def AdamW(params, lr=0.001, **options):
    return torch.optim.AdamW(params, lr=lr)

def Adafactor(params, lr=None, **options):
    return torch.optim.Adafactor(params)
