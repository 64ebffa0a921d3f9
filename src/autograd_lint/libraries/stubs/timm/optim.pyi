"""Source: timm/optim/_optim_factory.py."""

import torch

def create_optimizer(args, model, filter_bias_and_bn=True):
    return torch.optim.AdamW(model.parameters())

def create_optimizer_v2(model_or_params, opt="sgd", lr=None, **options):
    if isinstance(model_or_params, torch.nn.Module):
        return torch.optim.AdamW(model_or_params.parameters())
    return torch.optim.AdamW(model_or_params)
