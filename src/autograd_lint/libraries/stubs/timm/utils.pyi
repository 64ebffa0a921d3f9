"""Sources: timm/utils/cuda.py, timm/utils/clip_grad.py, timm/utils/model_ema.py."""

import copy

import torch
from torch import nn

def dispatch_clip_grad(parameters, value, mode="norm", norm_type=2.0):
    torch.nn.utils.clip_grad_norm_(parameters, value)

class NativeScaler:
    def __init__(self, device="cuda"):
        self._scaler = torch.amp.GradScaler(device=device)

    def __call__(
        self,
        loss,
        optimizer,
        clip_grad=None,
        clip_mode="norm",
        parameters=None,
        create_graph=False,
        need_update=True,
    ):
        self._scaler.scale(loss).backward(create_graph=create_graph)
        if need_update:
            if clip_grad is not None:
                self._scaler.unscale_(optimizer)
                dispatch_clip_grad(parameters, clip_grad, mode=clip_mode)
            self._scaler.step(optimizer)
            self._scaler.update()

class ModelEmaV2(nn.Module):
    def __init__(self, model, decay=0.9999, device=None):
        super().__init__()
        self.module = copy.deepcopy(model)
        self.module.eval()

    @torch.no_grad()
    def update(self, model):
        for kept, learned in zip(self.module.parameters(), model.parameters(), strict=True):
            kept.lerp_(learned, 0.01)

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)
