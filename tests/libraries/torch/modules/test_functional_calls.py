"""`torch.func.stack_module_state`: the parameters of several modules, in new leaves."""

from tests.vm.running import certain, kinds

STACKED = """
models = [nn.Linear(3, 1), nn.Linear(3, 1)]
params, buffers = torch.func.stack_module_state(models)
"""


def test_what_is_stacked_requires_grad() -> None:
    assert certain(STACKED + "params['weight'].numpy()\n") == ["numpy-on-grad"]


def test_what_is_stacked_is_a_leaf() -> None:
    assert certain(STACKED + "torch.optim.SGD(params.values(), lr=0.1)\n") == []
    assert certain(STACKED + "params['weight'].mul_(2)\n") == ["leaf-modified"]


def test_frozen_modules_stack_to_what_does_not_require_grad() -> None:
    frozen = STACKED.replace("params,", "for m in models:\n    m.requires_grad_(False)\nparams,")
    assert kinds(frozen + "params['weight'].numpy()\n") == []
