"""Sources: mmcv/runner/base_module.py, fp16_utils.py, hooks/optimizer.py, before version 2."""

from mmengine.model import BaseModule as BaseModule
from mmengine.model import ModuleDict as ModuleDict
from mmengine.model import ModuleList as ModuleList
from mmengine.model import Sequential as Sequential

def auto_fp16(apply_to=None, out_fp32=False, supported_types=None):
    def decorated(function):
        return function

    return decorated

def force_fp32(apply_to=None, out_fp16=False):
    def decorated(function):
        return function

    return decorated
