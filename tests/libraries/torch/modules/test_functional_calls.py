"""`torch.func.functional_call`, and `stack_module_state`: other parameters for a module."""

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


CALLED = """
net = nn.Linear(3, 1)
params = {{name: value * 2 for name, value in {}}}
out = torch.func.functional_call(net, params, (torch.ones(1, 3),))
out.sum().backward()
"""


def test_a_module_called_with_its_own_state_has_no_graph() -> None:
    assert certain(CALLED.format("net.state_dict().items()")) == ["no-grad-root"]
    assert kinds(CALLED.format("net.named_parameters()")) == []


def test_what_a_state_may_hold_besides_is_no_parameter_that_it_leaves_out() -> None:
    text = CALLED.format("net.state_dict().items() if name != 'bias'")
    assert kinds(text) == []
