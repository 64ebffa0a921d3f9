"""Source: torchrl/modules/tensordict_module/actors.py."""

from tensordict.nn import TensorDictModule

class ValueOperator(TensorDictModule):
    def __init__(self, module, in_keys=None, out_keys=None):
        in_keys = in_keys or ["observation"]
        value = "state_action_value" if "action" in in_keys else "state_value"
        super().__init__(module, in_keys, out_keys or [value])

class Actor(TensorDictModule):
    def __init__(self, module, in_keys=None, out_keys=None, **options):
        super().__init__(module, in_keys or ["observation"], out_keys or ["action"])
