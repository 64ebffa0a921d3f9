"""Reading and storing elements of tensors."""

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.project.source import Source
from tests.vm.running import HEAD, certain, kinds, taking

LEAF = "w = torch.rand(3, 3, requires_grad=True)\n"


@pytest.mark.parametrize("index", ["...", ":", ":, :", "torch.tensor([0])", "w > 0", "True"])
def test_a_store_to_all_or_to_picked_elements_writes_the_tensor(index: str) -> None:
    assert certain(f"{LEAF}w[{index}] = 0.0\n") == ["leaf-modified"]


@pytest.mark.parametrize("index", ["0", ":2", "None", "..., 0", "0, torch.tensor([1])"])
def test_a_store_through_integers_and_slices_writes_a_view(index: str) -> None:
    assert certain(f"{LEAF}w[{index}] = 0.0\n") == ["leaf-view-modified"]


@pytest.mark.parametrize("index", ["0", "...", ":", "torch.tensor([0])", "h > 0"])
def test_storing_values_of_a_graph_makes_the_tensor_part_of_it(index: str) -> None:
    text = f"{LEAF}h = torch.zeros(3, 3)\nh[{index}] = w.sum()\nh.sum().backward()\n"
    assert certain(text) == []


def test_the_mask_of_a_store_is_kept() -> None:
    text = f"{LEAF}h = w * 1\nmask = h > 0\nh[mask] = 0.0\nmask.zero_()\nh.sum().backward()\n"
    assert certain(text) == ["saved-tensor-modified"]


ENTRIES = """
def scale(features, layer: nn.Module):
    features = {{key: layer(value) for key, value in features.items()}}
    saved = features["first"] ** 2
    features["{written}"] += 1
    return saved.sum()
"""


@pytest.mark.parametrize(
    ("written", "found"), [("second", []), ("first", ["saved-tensor-modified"])]
)
def test_entries_of_unknown_keys_are_not_one(written: str, found: list[str]) -> None:
    assert kinds(ENTRIES.format(written=written)) == found


EVERY = """
def train(given, layer: nn.Module):
    losses = {{key: value for key, value in given.items()}}
    for key in losses.keys():
        losses[key] = layer(losses[key]).exp().sum()
    for key in losses.keys():
        loss = losses[key]
        loss.backward()
        {again}
"""


CHOSEN = """
def train(graph, kind, layer: nn.Module, optimizer):
    weight = nn.Parameter(torch.ones(3))
    outputs = {key: weight * value for key, value in graph.items()}
    outputs[kind].exp().sum().backward()
    outputs[kind].sum().backward()
"""


def test_what_is_under_one_key_keeps_its_graph() -> None:
    assert kinds(CHOSEN) == ["graph-freed"]


def test_every_key_has_a_value_of_its_own() -> None:
    assert kinds(EVERY.format(again="pass")) == []
    assert kinds(EVERY.format(again="losses[key].backward()")) == ["graph-freed"]


FROZEN = """
net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
weights = list(net.parameters())
for weight in weights[{part}]:
    weight.requires_grad = False
net(torch.ones(1, 3)).sum().backward()
"""


@pytest.mark.parametrize("part", [":len(names)", "len(names):", "len(names) : 2 * len(names)"])
def test_a_slice_of_unknown_length_may_leave_elements_out(part: str) -> None:
    names = "names = torch.load('names.pt')\n"
    assert kinds(names + FROZEN.format(part=part)) == []
    assert kinds(FROZEN.format(part=":")) == ["no-grad-root"]


PICKED = """
import h5py
def read(path, keys):
    file = h5py.File(path)
    episode = file["episode"]
    file["episode"] = torch.tensor(episode.shape)
    return file["episode"]
"""


def test_what_was_stored_under_a_name_may_be_a_tensor() -> None:
    assert kinds(PICKED) == []


KEPT = """
from elsewhere import load
model = load()
first = torch.optim.SGD(model.parameters(), 0.1)
model["kind"] = nn.Linear
torch.rand(2, requires_grad=True).sum().backward()
made = model["kind"]
"""


def test_what_was_stored_in_a_model_of_unknown_class_may_be_a_class() -> None:
    assert kinds(KEPT) == []


META = """
class Meta(type):
    def __getitem__(cls, base):
        return made_of(cls, base)
class Mixed(nn.Module, metaclass=Meta):
    pass
net = Mixed[nn.Linear](3, 1)
torch.optim.SGD({given}, lr=0.1)
"""


def test_what_a_metaclass_makes_of_a_class_is_another_one() -> None:
    assert certain(META.format(given="net.parameters()")) == []
    assert certain(META.format(given="Mixed().parameters()")) == ["other"]


UNDER_KEYS = """
def run(first, second):
    weight = torch.ones(3, requires_grad=True)
    table = {{}}
    table[first] = weight.exp().sum()
    table[second] = weight.exp().sum()
    table[first].backward()
    table[{again}].backward()
"""


def test_under_each_unknown_key_is_what_was_put_there() -> None:
    assert kinds(UNDER_KEYS.format(again="second")) == []
    assert kinds(UNDER_KEYS.format(again="first")) == ["graph-freed"]


@pytest.mark.parametrize("annotation", ["torch.Tensor", "Optional[torch.Tensor]"])
@pytest.mark.parametrize("write", ["x[0] = 0", "x[mask == 0] = 0", "x *= 2"])
def test_an_argument_that_is_annotated_as_a_tensor_is_written(annotation: str, write: str) -> None:
    text = f"def f(w, x: {annotation}, mask):\n    y = (x * w).sum()\n    {write}\n    return y\n"
    told = f"{text}f(torch.ones(2, requires_grad=True), torch.ones(2), torch.ones(2)).backward()\n"
    assert kinds(told) == ["saved-tensor-modified"]
    assert [fault.kind.value for fault in analyse(Source("a.py", HEAD + text))] == [
        "saved-tensor-modified"
    ]


def test_what_a_mask_picks_of_is_a_tensor() -> None:
    text = """
def f(x, weight: torch.Tensor):
    y = weight.exp()
    x[weight > 0] = y[weight > 0]
    x[weight > 0] *= 2
    return y
"""
    assert kinds(text) == []


def test_each_of_several_lists_may_hold_what_is_added_to_one_of_them() -> None:
    text = """
def train(net, n, m):
    lists = [[], []]
    lists[n].append(net(torch.ones(1)))
    y = torch.cat(lists[0]).sum() + torch.cat(lists[1]).sum()
    y = y.exp()
    y += 1
    y.backward()
"""
    assert kinds(text) == ["saved-tensor-modified"]


def test_where_a_loop_of_unknown_length_has_come_to_is_no_bound_of_a_slice() -> None:
    text = """
def f(n):
    rows = [torch.ones(3, requires_grad=True).exp() for _ in range(4)]
    for i in range(n):
        pass
    rows[: i + 1][1].add_(1)
    rows[1].sum().backward()
"""
    assert certain(text) == []
    assert kinds(text.replace("i + 1", "2")) == ["saved-tensor-modified"]


PARTS = """
class Keeping(nn.Module):
    def forward(self, x):
        self.kept = x.exp()
        return x

keeping = Keeping()
layers = nn.Sequential(nn.Linear(2, 2), keeping, nn.Linear(2, 2))
part = layers[:{bound}]
for _ in range(3):
    part(torch.ones(2, 2))
    keeping.kept.sum().backward()
"""


@pytest.mark.parametrize("bound", ["2", "given", "-1", "len(layers)"])
def test_a_slice_of_a_series_runs_the_modules_that_it_may_have(bound: str) -> None:
    assert certain("from elsewhere import given\n" + PARTS.format(bound=bound)) == []


def test_a_slice_of_a_series_does_not_run_what_it_surely_lacks() -> None:
    text = PARTS.replace("part = ", "layers(torch.ones(2, 2))\npart = ")
    assert certain(text.format(bound="1")) == ["graph-freed"]


@pytest.mark.parametrize(("index", "told"), [(-2, True), (-1, False), (-3, False)])
def test_what_stands_behind_unknown_elements_is_counted_from_the_end(
    index: int, told: bool
) -> None:
    picked = f"g = (lambda *args: args[{index}])(*library.parts(), h, {{}})"
    assert (certain(taking(picked)) == ["saved-tensor-modified"]) is told
