"""Source: ema_pytorch/ema_pytorch.py."""

import copy

import torch
from torch import nn

class EMA(nn.Module):
    def __init__(self, model, ema_model=None, **options):
        super().__init__()
        self.online_model = model
        self.ema_model = copy.deepcopy(model) if ema_model is None else ema_model
        for parameter in self.ema_model.parameters():
            parameter.detach_()

    @property
    def model(self):
        return self.online_model

    @torch.no_grad()
    def update(self):
        for kept, learned in zip(
            self.ema_model.parameters(), self.online_model.parameters(), strict=True
        ):
            kept.lerp_(learned, 0.01)

    def forward(self, *args, **kwargs):
        return self.ema_model(*args, **kwargs)
