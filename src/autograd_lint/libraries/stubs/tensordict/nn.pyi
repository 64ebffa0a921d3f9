"""Sources: tensordict/nn/common.py, sequence.py."""

from torch import nn

class TensorDictModuleBase(nn.Module): ...

class TensorDictModule(TensorDictModuleBase):
    def __init__(self, module, in_keys, out_keys, **options):
        super().__init__()
        self.module = module
        self.in_keys = [in_keys] if isinstance(in_keys, str) else in_keys
        self.out_keys = [out_keys] if isinstance(out_keys, str) else out_keys

    def forward(self, tensordict):
        results = self.module(*[tensordict[name] for name in self.in_keys])
        if not isinstance(results, tuple):
            results = (results,)
        for name, result in zip(self.out_keys, results, strict=True):
            tensordict[name] = result
        return tensordict

class TensorDictSequential(TensorDictModuleBase):
    def __init__(self, *modules, **options):
        super().__init__()
        self.module = nn.ModuleList(modules)

    def forward(self, tensordict):
        for one in self.module:
            tensordict = one(tensordict)
        return tensordict
