"""Sources: timm/models/_factory.py, timm/models/__init__.py."""

from timm.models._registry import is_model as is_model
from timm.models._registry import model_entrypoint as model_entrypoint
from timm.models._registry import register_model as register_model

def create_model(
    model_name,
    pretrained=False,
    pretrained_cfg=None,
    pretrained_cfg_overlay=None,
    checkpoint_path="",
    scriptable=None,
    **kwargs,
):
    if is_model(model_name):
        return model_entrypoint(model_name)(pretrained=pretrained, **kwargs)
    # Of this file there is no model: what it makes is a module of which no more is known.
    from timm.models import _factory

    return _factory.create_model(model_name)
