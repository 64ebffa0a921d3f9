"""Sources: mmengine/model/base_module.py, base_model/base_model.py."""

import torch
from torch import nn

class BaseModule(nn.Module):
    def __init__(self, init_cfg=None):
        super().__init__()
        self.init_cfg = init_cfg

    def init_weights(self): ...

class Sequential(BaseModule, nn.Sequential):
    def __init__(self, *args, init_cfg=None):
        BaseModule.__init__(self, init_cfg)
        nn.Sequential.__init__(self, *args)

class ModuleList(BaseModule, nn.ModuleList):
    def __init__(self, modules=None, init_cfg=None):
        BaseModule.__init__(self, init_cfg)
        nn.ModuleList.__init__(self, modules)

class ModuleDict(BaseModule, nn.ModuleDict):
    def __init__(self, modules=None, init_cfg=None):
        BaseModule.__init__(self, init_cfg)
        nn.ModuleDict.__init__(self, modules)

class BaseDataPreprocessor(nn.Module):
    def __init__(self, non_blocking=False):
        super().__init__()

    def forward(self, data, training=False):
        return data

class BaseModel(BaseModule):
    def __init__(self, data_preprocessor=None, init_cfg=None):
        super().__init__(init_cfg)
        given = isinstance(data_preprocessor, nn.Module)
        self.data_preprocessor = data_preprocessor if given else BaseDataPreprocessor()

    def _run_forward(self, data, mode):
        if isinstance(data, dict):
            return self(**data, mode=mode)
        return self(*data, mode=mode)

    def parse_losses(self, losses):
        log_vars = {}
        for name, value in losses.items():
            if isinstance(value, torch.Tensor):
                log_vars[name] = value.mean()
            else:
                log_vars[name] = sum(one.mean() for one in value)
        loss = sum(value for name, value in log_vars.items() if "loss" in name)
        return loss, {"loss": loss, **log_vars}

    def train_step(self, data, optim_wrapper):
        with optim_wrapper.optim_context(self):
            data = self.data_preprocessor(data, True)
            losses = self._run_forward(data, mode="loss")
        parsed_losses, log_vars = self.parse_losses(losses)
        optim_wrapper.update_params(parsed_losses)
        return log_vars

    def val_step(self, data):
        data = self.data_preprocessor(data, False)
        return self._run_forward(data, mode="predict")

    def test_step(self, data):
        return self.val_step(data)

class MMDistributedDataParallel(nn.parallel.DistributedDataParallel): ...

def is_model_wrapper(model):
    return isinstance(model, (nn.DataParallel, nn.parallel.DistributedDataParallel))
