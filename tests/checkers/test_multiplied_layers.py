"""Lists of layers in which one module stands several times."""

import pytest

from tests.vm.running import kinds


@pytest.mark.parametrize(
    "layers",
    [
        "nn.ModuleList([nn.Linear(2, 2)] * 3)",
        "nn.ModuleList(3 * [nn.Linear(2, 2)])",
        "nn.Sequential(*[nn.Linear(2, 2)] * 3)",
        "nn.Sequential(nn.ReLU(), *[nn.Linear(2, 2)] * 3)",
    ],
)
def test_a_layer_of_a_multiplied_list_is_one_module(layers: str) -> None:
    assert kinds(f"layers = {layers}") == ["layer-multiplied"]


@pytest.mark.parametrize(
    "layers",
    [
        "nn.ModuleList([nn.ReLU()] * 3)",
        "nn.ModuleList([nn.Linear(2, 2), nn.ReLU()] * 1)",
        "nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])",
        "nn.Sequential(*[nn.Linear(2, 2)] * 1)",
    ],
)
def test_layers_of_their_own_or_without_parameters_may_stand_there(layers: str) -> None:
    assert kinds(f"layers = {layers}") == []


@pytest.mark.parametrize("flag", ["normed=True", "*, normed=False"])
def test_a_flag_says_whether_the_layer_is_there(flag: str) -> None:
    program = f"""
class Net(nn.Module):
    def __init__(self, {flag}):
        super().__init__()
        parts = [nn.Linear(2, 2)]
        parts += normed * [nn.LayerNorm(2)]
        self.net = nn.Sequential(*parts)
        self.more = nn.Sequential(nn.ReLU(), *[nn.Linear(2, 2)] * (not normed))
"""
    assert kinds(program) == []


LISTED = """
layer = nn.Linear(2, 2)
layers = nn.ModuleList({layers})
x = torch.ones(1, 2)
for one in layers:
    {call}
x.sum().backward()
"""


@pytest.mark.parametrize("layers", ["[layer for _ in range(3)]", "layer for _ in range(3)"])
@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("x = one(x)", ["layer-multiplied"]),
        ("x = x + one(x).tanh()", ["layer-multiplied"]),
        ("y = one(torch.ones(1, 2)); x = x + y", []),
    ],
)
def test_one_module_for_layers_behind_each_other_is_told(
    layers: str, call: str, found: list[str]
) -> None:
    assert kinds(LISTED.format(layers=layers, call=call)) == found


@pytest.mark.parametrize(
    ("layers", "found"),
    [
        ("dict.fromkeys(['a', 'b'], nn.Linear(2, 2))", ["layer-multiplied"]),
        ("dict.fromkeys(['a', 'b'], nn.ReLU())", []),
        ("dict.fromkeys(['a'], nn.Linear(2, 2))", []),
        ("{name: nn.Linear(2, 2) for name in 'ab'}", []),
    ],
)
def test_one_module_for_all_keys_is_told(layers: str, found: list[str]) -> None:
    assert kinds(f"layers = nn.ModuleDict({layers})") == found
