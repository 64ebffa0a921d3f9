"""Source: torchrl/objectives/common.py."""

from tensordict.nn import TensorDictModuleBase

class LossModule(TensorDictModuleBase): ...
