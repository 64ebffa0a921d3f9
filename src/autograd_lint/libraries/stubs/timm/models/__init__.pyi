"""Sources: timm/models/_factory.py, timm/models/__init__.py."""

from timm.models._registry import is_model as is_model
from timm.models._registry import model_entrypoint as model_entrypoint
from timm.models._registry import register_model as register_model
from torch import nn

def create_model(
    model_name,
    pretrained=False,
    pretrained_cfg=None,
    pretrained_cfg_overlay=None,
    checkpoint_path="",
    scriptable=None,
    **kwargs,
) -> nn.Module:
    if is_model(model_name):
        return model_entrypoint(model_name)(pretrained=pretrained, **kwargs)
    return _published(model_name, **kwargs)

def _published(model_name, **kwargs) -> nn.Module: ...
