"""Source: timm/__init__.py."""

from timm.models import create_model as create_model
from timm.models import is_model as is_model
