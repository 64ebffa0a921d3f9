"""Sources: peft/mapping_func.py, peft/peft_model.py. The model's own parameters are frozen; an
adapter that is trained adds to what each of its linear layers returns."""

import torch
from torch import nn

class LoraConfig:
    def __init__(self, r=8, target_modules=None, **options):
        self.r = r
        self.target_modules = target_modules

class PeftModel(nn.Module):
    def __init__(self, model, peft_config, adapter_name="default", **options):
        super().__init__()
        self.base_model = model
        self.lora_A = nn.ParameterList()
        for parameter in model.parameters():
            parameter.requires_grad = False
        for layer in model.modules():
            if isinstance(layer, nn.Linear):
                adapter = nn.Parameter(torch.zeros(1))
                self.lora_A.append(adapter)
                layer.register_forward_hook(_adapted(adapter))

    def forward(self, *args, **kwargs):
        return self.base_model(*args, **kwargs)

def _adapted(adapter):
    def hook(layer, args, output):
        return output + adapter

    return hook

def get_peft_model(model: nn.Module, peft_config, adapter_name="default", **options):
    return PeftModel(model, peft_config, adapter_name)
