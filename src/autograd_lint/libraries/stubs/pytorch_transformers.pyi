"""Source: pytorch_transformers/optimization.py."""

import torch

def AdamW(params, lr=0.001, **options):
    return torch.optim.AdamW(params, lr=lr)
