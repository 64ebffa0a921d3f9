"""Source: mmcv/utils/registry.py, as it was before version 2."""

from mmengine.registry import Registry as Registry
from mmengine.registry import build_from_cfg as build_from_cfg
