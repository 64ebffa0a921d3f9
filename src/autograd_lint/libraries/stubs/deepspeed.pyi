"""Sources: deepspeed/__init__.py, deepspeed/runtime/engine.py."""

import torch
from torch import nn

class DeepSpeedEngine(nn.Module):
    def __init__(self, model, optimizer):
        super().__init__()
        self.module = model
        self.optimizer = optimizer

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)

    def backward(self, loss, retain_graph=False, **options):
        loss.backward(retain_graph=retain_graph)
        return loss

    def step(self, *args):
        self.optimizer.step()
        self.optimizer.zero_grad()

def initialize(
    args=None,
    model=None,
    optimizer=None,
    model_parameters=None,
    training_data=None,
    lr_scheduler=None,
    **options,
):
    if optimizer is None:
        optimizer = torch.optim.Adam(model_parameters or model.parameters())
    engine = DeepSpeedEngine(model, optimizer)
    return engine, optimizer, training_data, lr_scheduler
