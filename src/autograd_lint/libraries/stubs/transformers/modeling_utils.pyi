"""Sources: transformers/modeling_utils.py, transformers/generation/utils.py."""

import torch
from torch import nn

class PreTrainedModel(nn.Module):
    def __init__(self, config, *inputs, **options):
        super().__init__()
        self.config = config

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path, *model_args, config=None, **options):
        model = cls(config if config is not None else _config(), *model_args)
        model.eval()
        return model

    @torch.no_grad()
    def generate(self, *args, **kwargs): ...
    def post_init(self):
        self.apply(self._init_weights)

    def init_weights(self):
        self.apply(self._init_weights)

    def _init_weights(self, module): ...

def _config(): ...
