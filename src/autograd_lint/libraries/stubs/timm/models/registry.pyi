"""Source: timm/models/registry.py, the name of `_registry` in older programs."""

from timm.models._registry import is_model as is_model
from timm.models._registry import model_entrypoint as model_entrypoint
from timm.models._registry import register_model as register_model
