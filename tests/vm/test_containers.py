"""Lists, dictionaries and tuples of tensors and layers."""

import pytest

from tests.vm.running import certain, kinds

LEAF = "w = torch.ones(3, requires_grad=True)\n"


@pytest.mark.parametrize(
    "put",
    [
        "kept = []\nkept.append(w)\nt = kept[0]",
        "kept = {}\nkept['w'] = w\nt = kept.get('w')",
        "kept = {'w': w}\n(t,) = kept.values()",
        "kept = dict(w=w)\nt = kept.pop('w')",
        "kept = [w]\nkept += [w]\nt = kept.pop()",
        "kept = (w, 1)\nt, _ = kept",
        "kept = [2, 3]\nkept[0:1] = [w]\nt = kept[0]",
        "kept = [1]\nkept.insert(10**30, w)\nt = kept[1]",
        "kept = [1]\nkept.insert(-(10**30), w)\nt = kept[0]",
        "kept = [(1, 1), (0, w)]\nkept.sort(key=lambda pair: pair[0])\nt = kept[0][1]",
        "kept = sorted([(0, 1), (1, w)], key=lambda pair: pair[0], reverse=True)\nt = kept[0][1]",
        "kept = ['a', 'b']\nt = [1, w][kept.index('b')]",
        "kept = ['b']\nt = [1, w][kept.count('b')]",
        "kept = {'a': 1, 'w': w}\n_, t = kept.popitem()",
        "kept = {'a': 1} | {'w': w}\nt = kept['w']",
        "from collections import namedtuple\nPair = namedtuple('Pair', 'a b')\nt = Pair(1, w).b",
        "from collections import OrderedDict\nt = OrderedDict([('w', w)])['w']",
    ],
)
def test_a_container_holds_the_same_tensor(put: str) -> None:
    assert certain(f"{LEAF}{put}\nt += 1\n") == ["leaf-modified"]


def test_any_layer_of_a_table_stands_for_all() -> None:
    text = (
        "ACTS = {'relu': nn.ReLU, 'sigmoid': nn.Sigmoid}\n"
        "class Block(nn.Module):\n"
        "    def __init__(self, name):\n"
        "        super().__init__()\n"
        "        self.act = ACTS[name]()\n"
        "    def forward(self, x):\n"
        "        y = self.act(x)\n"
        "        y += x\n"
        "        return y\n"
    )
    assert kinds(text) == ["saved-tensor-modified"]


def test_a_graph_kept_in_a_dictionary_is_named_by_it() -> None:
    from tests.vm.running import faults

    text = LEAF + (
        "kept = {name: w.exp() for name in ('a', 'b')}\n"
        "for _ in range(2):\n"
        "    (w * kept['a']).sum().backward()\n"
    )
    (fault,) = faults(text)
    assert fault.carried
    assert fault.built is not None and fault.built.place is not None
    assert fault.built.place.row == 4


MEMO = """
def kept(holder, name):
    return hasattr(holder, "_memo") and name in holder._memo

def cached(method):
    def run(self):
        if not kept(self, method.__name__):
            if not hasattr(self, "_memo"):
                self._memo = dict()
            self._memo["{name}"] = method(self)
        if not kept(self, "{asked}"):
            raise RuntimeError
        return self._memo["{asked}"]
    return run

class Cache(Base):
    def __init__(self, x):
        self.x = x
    @cached
    def value(self):
        y = self.x.exp()
        y += 1
        return y
"""


def test_what_was_put_under_a_name_is_there() -> None:
    assert kinds(MEMO.format(name="value", asked="value")) == ["saved-tensor-modified"]


@pytest.mark.parametrize(
    "use",
    [
        "torch.tensor(kept)",
        "torch.FloatTensor(kept)",
        "torch.ones(2).new_tensor(kept)",
        "torch.zeros(kept)",
        "torch.stack(kept)",
        "torch.vmap(lambda one: one)(kept)",
    ],
)
def test_a_list_that_contains_itself(use: str) -> None:
    text = f"{LEAF}kept = []\nkept.extend([kept, kept])\ny = {use}\nw += 1\n"
    assert certain(text) == ["leaf-modified"]


GATHERED = """
from elsewhere import load
model = load()
first = torch.optim.SGD(model.parameters(), 0.1)
rate = nn.Parameter(torch.ones(3))
second = torch.optim.Adam(model.weights() + [rate], lr=0.1)
model(rate).sum().backward()
"""


def test_what_a_list_is_added_to_is_a_list() -> None:
    assert kinds(GATHERED) == []


UNKNOWN_NAMES = """
class Options:
    def __init__(self, value):
        self.__dict__.update(dict([(library.name(), value)]))

scale = Options(2.0).scale
w = torch.ones(3, requires_grad=True)
y = w.exp()
y += scale
y.sum().backward()
"""


def test_an_object_may_be_given_attributes_of_unknown_names() -> None:
    assert kinds(UNKNOWN_NAMES) == ["saved-tensor-modified"]
