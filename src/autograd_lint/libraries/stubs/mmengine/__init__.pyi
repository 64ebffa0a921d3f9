"""Source: mmengine/__init__.py."""

from mmengine.registry import Registry as Registry
from mmengine.registry import build_from_cfg as build_from_cfg
