"""What other files of a project say about what a harness has found."""

from pathlib import Path

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

# Wrong as soon as what comes in requires grad and the result is trained.
HELPER = """import torch


def scale(x):
    y = x - x.mean()
    std = y.std(0)
    y /= std
    return y


class Scaler:
    def apply(self, x):
        return self.scaled(x)

    def scaled(self, x):
        y = x - x.mean()
        std = y.std(0)
        y /= std
        return y
"""
MODEL = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        y = x - x.mean()
        std = y.std(0)
        y /= std
        return self.layer(y)
"""
HEAD = "import torch\nfrom torch import nn\nfrom own import *\n"


def weights(root: Path, text: str, others: dict[str, str]) -> list[int]:
    """How daring each fault in `own.py` is, in a project with other files."""
    write_tree(root, {"own.py": text, **others})
    source = Source(str(root / "own.py"), text)
    return [fault.weight for fault in analyse(source, Project([root]))]


def is_shown(root: Path, text: str, caller: str) -> bool:
    """Whether something that is not too daring is found beside a caller in another file."""
    return any(weight < 2 for weight in weights(root, text, {"caller.py": HEAD + caller}))


TRAINED = [
    "class M(nn.Module):\n    def forward(self, x):\n        return scale(x)\n",
    "def train(net, x):\n    scale(net(x)).sum().backward()\n",
    "def prepared(x):\n    return scale(x)\n\n"
    "def train(net, x):\n    prepared(net(x)).sum().backward()\n",
    "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.f = scale\n",
    "def train(net, x):\n    table = {'by': scale}\n    table['by'](net(x)).sum().backward()\n",
    "class Agent:\n    def reset(self):\n        self.state = None\n"
    "    def step(self, x):\n        self.learn(x)\n"
    "    def learn(self, x):\n        scale(self.net(x)).sum().backward()\n",
    "def attack(net, x):\n    net.eval()\n    scale(net(x)).sum().backward()\n",
    "def look(net, x):\n    y = scale(net(x))\n    net.eval()\n    return y\n\n"
    "def train(net, x):\n    look(net, x).sum().backward()\n",
]
UNTRAINED = [
    "def evaluate(net, x):\n    net.eval()\n    return scale(net(x))\n\n"
    "def train(net, x):\n    evaluate(net, x)\n    net(x).sum().backward()\n",
    "def evaluate(net, x):\n    with torch.no_grad():\n        return scale(net(x))\n",
    "@torch.no_grad()\ndef evaluate(net, x):\n    return scale(net(x))\n",
    "class D(torch.utils.data.Dataset):\n    def __getitem__(self, i):\n"
    "        return scale(self.x[i])\n",
    "class D:\n    def __len__(self):\n        return 3\n    def __getitem__(self, i):\n"
    "        return self.get(i)\n    def get(self, i):\n        return scale(self.x[i])\n",
    "def look(x):\n    print(scale(x))\n\nif __name__ == '__main__':\n    look(torch.ones(3))\n",
    "class G(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
    "        return scale(x)\n",
    "class M(nn.Module):\n    def __init__(self, x):\n        super().__init__()\n"
    "        self.x = scale(x)\n",
    "def loss(x):\n    return scale(x.detach())\n",
    "class Maze:\n    def reset(self):\n        self.state = scale(self.start)\n"
    "    def step(self, action):\n        return self.state + action, 1, False, {}\n",
    "class Maze(gym.Env):\n    def reset(self):\n        self.state = scale(self.start)\n",
    "def train(net, x):\n    options = {'params': net.parameters(), 'by': scale}\n"
    "    torch.optim.SGD([options], 0.1)\n    net(x).sum().backward()\n",
]


@pytest.mark.parametrize("caller", TRAINED)
def test_a_function_that_is_trained(tmp_path: Path, caller: str) -> None:
    assert is_shown(tmp_path, HELPER, caller)


@pytest.mark.parametrize("caller", UNTRAINED)
def test_a_function_that_is_called_for_other_ends(tmp_path: Path, caller: str) -> None:
    assert not any(
        weight < 2
        for weight in weights(tmp_path, HELPER[: HELPER.index("class")], {"c.py": HEAD + caller})
    )


def test_one_caller_that_trains_is_enough(tmp_path: Path) -> None:
    assert is_shown(tmp_path, HELPER, TRAINED[0] + UNTRAINED[0])


def test_what_nobody_calls_is_told(tmp_path: Path) -> None:
    assert is_shown(tmp_path, HELPER, "")


def test_what_a_package_offers_may_be_called_by_anybody(tmp_path: Path) -> None:
    helper = HELPER[: HELPER.index("class")]
    offered = {"__init__.py": "from .own import scale\n", "caller.py": HEAD + UNTRAINED[0]}
    assert weights(tmp_path, helper, offered) == [1]


@pytest.mark.parametrize(("mode", "expected"), [("@torch.no_grad()", [3]), ("@timed", [1])])
def test_what_helps_the_steps_of_an_offered_optimizer_is_called_by_these(
    tmp_path: Path, mode: str, expected: list[int]
) -> None:
    step = f"class Own(torch.optim.Optimizer):\n    {mode}\n    def step(self):\n"
    calls = "        for group in self.param_groups:\n            scale(group['params'][0])\n"
    offered = {"__init__.py": "from .own import scale\n", "caller.py": HEAD + step + calls}
    assert weights(tmp_path, HELPER[: HELPER.index("class")], offered) == expected


def test_what_is_given_to_an_object_that_is_no_module(tmp_path: Path) -> None:
    trainer = MODEL.replace("nn.Module", "Trainer").replace("import torch\n", "import torch, os\n")
    assert all(weight < 2 for weight in weights(tmp_path, trainer, {"c.py": HEAD + "net = Net()"}))


def test_tests_do_not_count(tmp_path: Path) -> None:
    helper = HELPER[: HELPER.index("class")]
    assert weights(tmp_path, helper, {"tests/test_own.py": HEAD + UNTRAINED[0]}) == [1]


LAYER = "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n{}"
MADE_AS_LAYER = [
    LAYER.format("        self.net = Net()\n"),
    "def build():\n    return Net()\n\n" + LAYER.format("        self.net = build()\n"),
    "class Wide(Net):\n    pass\n\n" + LAYER.format("        self.net = Wide()\n"),
    "KINDS = {'net': Net}\n",
]
MADE_AS_MODEL = [
    "def main():\n    net = Net()\n    net(torch.ones(2, 2)).sum().backward()\n",
    "net = Net()\n",
    "class Trainer:\n    def __init__(self):\n        self.net = Net()\n",
    "def build():\n    return Net()\n\nif __name__ == '__main__':\n    net = build()\n",
]


@pytest.mark.parametrize("maker", MADE_AS_LAYER)
def test_the_input_of_a_layer_may_require_grad(tmp_path: Path, maker: str) -> None:
    assert is_shown(tmp_path, MODEL, maker)


@pytest.mark.parametrize("maker", MADE_AS_MODEL)
def test_the_input_of_a_whole_model_is_data(tmp_path: Path, maker: str) -> None:
    assert not is_shown(tmp_path, MODEL, maker)


def test_a_class_that_is_registered_may_be_made_anywhere(tmp_path: Path) -> None:
    registered = MODEL.replace("class Net", "@MODELS.register\nclass Net")
    assert is_shown(tmp_path, registered, MADE_AS_MODEL[0])


def test_what_uses_a_trained_model_sees_to_grad_mode(tmp_path: Path) -> None:
    model = MODEL.replace(
        "        return self.layer(y)\n",
        "        return self.{}(x)\n\n    def {}(self, x):\n"
        "        first, second = self.layer(x).unbind()\n        first *= 2\n"
        "        return first\n",
    )
    assert weights(tmp_path, model.replace("{}", "pick"), {}) == [0]
    assert weights(tmp_path, model.replace("{}", "predict"), {}) == [2]


# Wrong where the flag is set.
OPTIONAL = """import torch
from torch import nn


def scale(x, layer: nn.Module, exact=False, mask=None):
    y = layer(x).exp()
    if exact or mask is not None:
        y += 1
    return y


class Scaler:
    def __init__(self, layer: nn.Module):
        self.layer = layer

    def scale_all(self, x, exact=False):
        y = self.layer(x).exp()
        if exact:
            y += 1
        return y.sum()
"""


@pytest.mark.parametrize(
    ("caller", "shown"),
    [
        ("def use(x, net):\n    return scale(x, net)\n", False),
        ("def use(x, net):\n    return scale(x, net, exact=True)\n", True),
        ("def use(x, net):\n    return scale(x, net, False, x > 0)\n", True),
        ("def use(x, net, options):\n    return scale(x, net, **options)\n", True),
        ("table = {'scale': scale}\n", True),
        ("", True),
    ],
)
def test_an_option_that_no_caller_asks_for(tmp_path: Path, caller: str, shown: bool) -> None:
    text = OPTIONAL.partition("\n\nclass")[0] + "\n"
    assert is_shown(tmp_path, text, caller) is shown


@pytest.mark.parametrize(("given", "shown"), [("", False), (", True", True)])
def test_an_option_of_a_method(tmp_path: Path, given: str, shown: bool) -> None:
    text = "import torch\nfrom torch import nn\n\n\nclass" + OPTIONAL.partition("\n\nclass")[2]
    caller = f"def use(x, net):\n    return Scaler(net).scale_all(x{given})\n"
    assert is_shown(tmp_path, text, caller) is shown


SOLVER = """def solve(Function):
    class Solve(Function):
        @staticmethod
        def forward(ctx, x):
            forward(x).sum().backward()

    return Solve.apply
"""


def test_a_function_that_a_custom_function_runs_is_not_recorded(tmp_path: Path) -> None:
    text = HELPER.partition("\n\nclass")[0].replace("def scale", "def forward") + "\n"
    assert not is_shown(tmp_path, text, SOLVER)
    assert is_shown(tmp_path, text, SOLVER.replace("(Function):\n        @", "(Other):\n        @"))


def test_a_file_of_tests_says_nothing(tmp_path: Path) -> None:
    text = HELPER.partition("\n\nclass")[0] + "\n"
    caller = "with torch.no_grad():\n    scale(torch.ones(3))\n"
    test = HEAD + "import pytest\n\ndef test(x):\n    scale(x).sum().backward()\n"
    assert max(weights(tmp_path, text, {"a.py": HEAD + caller, "test.py": test})) > 1
    run = test.replace("import pytest\n", "")
    assert min(weights(tmp_path / "run", text, {"a.py": HEAD + caller, "test.py": run})) < 2


SPLITS = """import torch
from torch import nn


class Expert(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, split, x):
        y = self.layer(x)
        if split == "{split}":
            return y.numpy()
        return y.sum()
"""


@pytest.mark.parametrize(("split", "shown"), [("my_test", False), ("train", True)])
def test_a_part_of_the_data_for_tests(tmp_path: Path, split: str, shown: bool) -> None:
    assert is_shown(tmp_path, SPLITS.format(split=split), "expert = Expert()\n") is shown


SETTER = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))

    def {method}(self, weight):
        self.weight[:] = weight
"""


@pytest.mark.parametrize(("method", "assumed"), [("set_weight", 1), ("forward", 0)])
def test_a_method_that_writes_a_parameter_may_be_called_without_grad_mode(
    method: str, assumed: int
) -> None:
    (fault,) = analyse(Source("net.py", SETTER.format(method=method)))
    assert (fault.kind.value, len(fault.assumptions)) == ("leaf-modified", assumed)


KEEPING = """import torch
from torch import nn


def {name}():
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    losses = []
    for _ in range(10):
        optimizer.zero_grad()
        loss = net(torch.ones(1, 2)).sum()
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return len(losses)
"""


@pytest.mark.parametrize(
    ("file", "function", "shown"),
    [
        ("test_net.py", "test_it_learns", False),
        ("net_test.py", "test_it_learns", False),
        ("test_net.py", "learn", True),
        ("net.py", "test_it_learns", True),
    ],
)
def test_what_a_test_keeps_ends_with_it(
    tmp_path: Path, file: str, function: str, shown: bool
) -> None:
    text = KEEPING.format(name=function)
    faults = analyse(Source(str(tmp_path / file), text), Project([tmp_path]))
    assert any(fault.weight < 2 for fault in faults) is shown


DUMMY = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        y = self.layer(x).exp()
        y += 1
        return y


def test_it():
    {used}
"""


@pytest.mark.parametrize(
    ("used", "shown"),
    [("assert Net()(torch.ones(2)).shape", False), ("Net()(torch.ones(2)).sum().backward()", True)],
)
def test_what_tests_run_no_backward_of(tmp_path: Path, used: str, shown: bool) -> None:
    source = Source(str(tmp_path / "test_net.py"), DUMMY.format(used=used))
    faults = analyse(source, Project([tmp_path]))
    assert any(fault.weight < 2 for fault in faults) is shown


def test_gradients_and_a_configuration_that_callers_must_have_together(tmp_path: Path) -> None:
    text = """import torch

def scaled(x, given, limit, low):
    y = x.exp()
    if {first}:
        if {second}:
            y *= 2
    return y
"""
    one = text.format(first="True", second="given.limit is not None")
    both = text.format(first="low.wanted", second="limit.value is not None")
    assert is_shown(tmp_path / "one", one, "")
    assert not is_shown(tmp_path / "both", both, "")


BASE = """class Decoder(nn.Module):
    def forward(self, x):
        if {condition}:
            return self.fast(x)
        return self.exact(x)
"""
DECODER = """import torch
from base import Decoder


class Greedy(Decoder):
    def exact(self, x):
        return x

    def fast(self, x):
        y = x.exp()
        y *= 2
        return y
"""


@pytest.mark.parametrize(
    ("condition", "shown"),
    [("not self.training", False), ("self.training", True), ("x.any()", True)],
)
def test_what_a_base_class_calls_outside_of_training(
    tmp_path: Path, condition: str, shown: bool
) -> None:
    base = "import torch\nfrom torch import nn\n" + BASE.format(condition=condition)
    found = weights(tmp_path, DECODER, {"decoding.py": base})
    assert any(weight < 2 for weight in found) is shown


REPLACING = """import torch
from torch import nn


def replace(size):
    layer = nn.Linear(size, size)
    layer.weight.copy_(torch.ones(2, 2))
    return layer
"""
HANDED_ON = [
    "run_later({'Linear': replace})\n",
    "TABLE = {'Linear': lambda size: replace(size)}\nrun_later(TABLE)\n",
    "with torch.no_grad():\n    replace(2)\n",
]
CALLED = ["replace(2)\n", "nn.Linear(2, 2).apply(replace)\n", "print('by nobody')\n"]


@pytest.mark.parametrize(
    ("caller", "shown"), [*((c, False) for c in HANDED_ON), *((c, True) for c in CALLED)]
)
def test_what_would_be_refused_at_once_is_called_without_grad_mode(
    tmp_path: Path, caller: str, shown: bool
) -> None:
    assert is_shown(tmp_path, REPLACING, caller) is shown


LOADING = """import torch
from torch import nn


class Unit(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def load_from(self, weights, block):
        self.layer.weight.copy_(weights[block])
"""
LOADER = """
class Net(nn.Module):
    def load_from(self, weights):
        with torch.no_grad():
            for name, unit in self.named_children():
                unit.load_from(weights, block=name)


"""


@pytest.mark.parametrize(
    ("call", "shown"),
    [("Net().load_from(torch.ones(2))", False), ("Unit().load_from(torch.ones(2), 0)", True)],
)
def test_a_call_of_another_method_of_that_name(tmp_path: Path, call: str, shown: bool) -> None:
    assert is_shown(tmp_path, LOADING, LOADER + call) is shown


PART = """import torch
from torch import nn


class Clip(nn.Module):
    def forward(self, x):
        y = x.exp()
        y *= 2
        return y
"""
WHOLE = """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.clip = Clip()
        self.focal = FocalLoss()
        self.head = Head()

    def forward(self, x):
        y = self.layer(x)
        {rest}
"""
OF_USE = [
    "if self.training:\n            return y\n        else:\n            return self.clip(y)",
    "if self.training:\n            return y\n        return self.clip(y)",
    "if not self.training:\n            y = self.clip(y)\n        return y",
    "with torch.no_grad():\n            return self.clip(y)",
    "if x.any():\n            return self.focal(y)\n        return self.clip(y)",
    "if x.any():\n            return self.clip(y)\n        else:\n            return self.focal(y)",
]
OF_TRAINING = [
    "return self.clip(y)",
    "if self.training:\n            y = self.clip(y)\n        return y",
    "if self.training and x.any():\n            return y\n        return self.clip(y)",
    "if self.training:\n            return y\n        return nn.Sequential(self.clip)(y)",
    "if x.any():\n            return self.head(y)\n        return self.clip(y)",
    "if x.any():\n            return self.focal(y)\n        return self.focal(self.clip(y))",
    "if x.any():\n            return self.focal(self.clip(y))\n        return y",
]


@pytest.mark.parametrize(
    ("rest", "shown"), [*((r, False) for r in OF_USE), *((r, True) for r in OF_TRAINING)]
)
def test_a_part_that_a_module_has_for_its_use(tmp_path: Path, rest: str, shown: bool) -> None:
    assert is_shown(tmp_path, PART, WHOLE.format(rest=rest)) is shown


ALIKE = """import torch.nn.functional as F
import own
import own as tools

class M(nn.Module):
    def forward(self, x):
        return {called}(x)
"""


@pytest.mark.parametrize(
    ("called", "shown"),
    [("F.scale", False), ("self.scale", False), ("tools.scale", True), ("own.scale", True)],
)
def test_a_function_is_none_of_another_package_or_object(
    tmp_path: Path, called: str, shown: bool
) -> None:
    caller = ALIKE.format(called=called) + UNTRAINED[1]
    assert is_shown(tmp_path, HELPER[: HELPER.index("class")], caller) is shown


# Needs no gradient of its callers, only that they make a loss of the result.
LAYERED = """import torch
from torch import nn


def scale(x, layer: nn.Module):
    y = layer(x).exp()
    y += 1
    return y
"""
COPY = LAYERED + "\n\ndef train(net, x):\n    {used}.sum().backward()\n"


@pytest.mark.parametrize(
    ("copy", "shown"),
    [
        (COPY.format(used="scale(x, net)"), False),
        (COPY.format(used="net(x)"), True),
        (COPY.format(used="scale(x, net)").replace("Module):", "Module, by=1):"), True),
    ],
)
def test_a_function_of_which_the_project_uses_a_copy(
    tmp_path: Path, copy: str, shown: bool
) -> None:
    found = weights(tmp_path, LAYERED, {"other.py": copy})
    assert any(weight < 2 for weight in found) is shown


def test_a_caller_of_another_function_of_that_name(tmp_path: Path) -> None:
    other = "import torch\n\ndef scale(x, layer):\n    return x\n" + UNTRAINED[0]
    assert weights(tmp_path, LAYERED, {"caller.py": other}) == [1]


HANDED = """
class Own(nn.Module):
    def forward(self, x):
        return x

def clipped(y, clip, own):
    return clip(y)

def evaluate(net, x):
    clip = Clip()
    with torch.no_grad():
        return clipped(net(x), clip, None)

class Criterion(nn.Module):
    def forward(self, y):
        clip = Clip()
        own = Own()
        print(clipped({given}, clip, {beside}))
        return y.sum()
"""


@pytest.mark.parametrize(
    ("given", "beside", "shown"),
    [("y.detach()", "own", False), ("y", "own", True), ("y.detach()", "own(y)", True)],
)
def test_an_object_that_is_handed_to_a_function(
    tmp_path: Path, given: str, beside: str, shown: bool
) -> None:
    handed = HANDED.format(given=given, beside=beside)
    assert is_shown(tmp_path, PART, handed) is shown


SURFACE = """import torch


class Sphere:
    def {method}(self, x):
        y = x - x.mean()
        std = y.std(0)
        y /= std
        return y
"""
OPTION = """
def options(net, surface):
    return [{{"params": net.parameters(), "by": surface.{method}}}]
"""
OTHER = "\nclass Other:\n    def place(self, x):\n        return x\n"


@pytest.mark.parametrize(
    ("method", "other", "shown"),
    [("place", "", False), ("place", OTHER, True), ("update", "", True)],
)
def test_a_method_that_no_other_class_has_is_meant_by_its_name(
    tmp_path: Path, method: str, other: str, shown: bool
) -> None:
    others = {"options.py": "import torch\n" + OPTION.format(method=method) + other}
    found = weights(tmp_path, SURFACE.format(method=method), others)
    assert any(weight < 2 for weight in found) is shown


MADE = """import torch


class Directions:
    def __init__(self, x):
        y = x - x.mean()
        std = y.std(0)
        y /= std
        self.y = y

    def all(self):
        return self.y
"""


@pytest.mark.parametrize(
    ("caller", "shown"),
    [
        ("def view(x):\n    with torch.no_grad():\n        return Directions(x).all()\n", False),
        ("def fit(net, x):\n    Directions(net(x)).all().sum().backward()\n", True),
    ],
)
def test_what_is_made_without_grad_mode_is_not_recorded(
    tmp_path: Path, caller: str, shown: bool
) -> None:
    assert is_shown(tmp_path, MADE, caller) is shown


REFUSED = """import torch


def bounds(image):
    low = torch.empty(2)
    torch.add(image, 1, out=low)
    return low
"""


@pytest.mark.parametrize(("check", "least"), [("gradcheck(bounds, (x,))", 0), ("bounds(x)", 2)])
def test_what_tests_differentiate_is_given_what_requires_grad(
    tmp_path: Path, check: str, least: int
) -> None:
    test = (
        "import torch\nfrom torch.autograd import gradcheck\nfrom own import bounds\n"
        f"def test_bounds():\n    x = torch.ones(2, requires_grad=True)\n    assert {check}\n"
    )
    assert weights(tmp_path, REFUSED, {"test_own.py": test}) == [least]


PARTS = """import torch


def error({given}, y):
    near, far = torch.zeros(2, 1)
    for one in {given}:
        near += one.sum()
    return near + far
"""
TRAINING = """import torch
from own import error
def train(model, x, y, optimizer):
    loss = error(model(x), y)
    {then}
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("given", "then", "least"),
    [("out", "loss.backward()", 0), ("out", "print(loss)", 2), ("batch", "loss.backward()", 2)],
)
def test_what_alone_gives_a_loss_its_graph_requires_grad(
    tmp_path: Path, given: str, then: str, least: int
) -> None:
    found = weights(tmp_path, PARTS.format(given=given), {"train.py": TRAINING.format(then=then)})
    assert min(found) == least


LOADED = """import pickle
import torch


def bounds(image, file):
    low = torch.empty(2)
    torch.add(pickle.load(file), 1, out=low)
    return low * image
"""


def test_what_is_loaded_is_given_by_no_test(tmp_path: Path) -> None:
    test = (
        "import torch\nfrom torch.autograd import gradcheck\nfrom own import bounds\n"
        "def test_bounds():\n    x = torch.ones(2, requires_grad=True)\n"
        "    assert gradcheck(lambda x: bounds(x, open('a')), (x,))\n"
    )
    assert set(weights(tmp_path, LOADED, {"test_own.py": test})) <= {2}


DEMONSTRATED = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x)


if __name__ == "__main__":
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for _ in range(9):
        net(torch.ones(2)).sum().backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("caller", "expected"), [("from own import Net\nnet = Net()\n", [2]), ("", [0])]
)
def test_what_a_demonstration_trains_ends_with_it(
    tmp_path: Path, caller: str, expected: list[int]
) -> None:
    assert weights(tmp_path, HEAD + DEMONSTRATED, {"use.py": caller}) == expected


EVALUATION = """import torch
from registry import build, load


def evaluate(model, batches):
    model.eval()
    for batch in batches:
        print(model(batch).argmax(-1))


def test(cfg):
    evaluate(build(cfg), load(cfg))
"""


@pytest.mark.parametrize(
    ("caller", "assumed"),
    [
        ("def main():\n    launch(func=test)\nmain()\n", False),
        ("def main():\n    with torch.no_grad():\n        launch(func=test)\nmain()\n", True),
        ("def main():\n    launch(func=None)\nmain()\n", True),
    ],
)
def test_an_evaluation_that_the_project_runs_with_grad_mode_on_assumes_nothing_of_it(
    tmp_path: Path, caller: str, assumed: bool
) -> None:
    head = "import torch\nfrom workers import launch\nfrom own import test\n"
    write_tree(tmp_path, {"own.py": EVALUATION, "program.py": head + caller})
    (fault,) = analyse(Source(str(tmp_path / "own.py"), EVALUATION), Project([tmp_path]))
    kinds = {one.kind for one in fault.assumptions}
    assert (Kind.EVALUATED_WITH_GRAD_MODE in kinds) is assumed


EPOCH = """import torch
from registry import build, load


class Epoch:
    def __init__(self, model, batches):
        self.model = model
        self.batches = batches

    def run(self, train, optimizer=None):
        if train:
            self.model.train()
        else:
            self.model.eval()
        for batch in self.batches:
            loss = self.model(batch).mean()
            if train:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(loss.item())
"""
EVALUATES = "Epoch(build(), load()).run({})"


@pytest.mark.parametrize(
    ("last", "assumed"),
    [
        (f"    {EVALUATES.format('train=False')}", False),
        (f"    {EVALUATES.format('load()')}", False),
        (f"    with torch.no_grad():\n        {EVALUATES.format('train=False')}", True),
    ],
)
def test_a_caller_that_asks_for_training_does_not_evaluate(
    tmp_path: Path, last: str, assumed: bool
) -> None:
    head = "import torch\nfrom registry import build, load, adam\nfrom own import Epoch\n"
    trains = f"    {EVALUATES.format('train=True, optimizer=adam()')}\n"
    program = f"{head}def main():\n{trains}{last}\nmain()\n"
    write_tree(tmp_path, {"own.py": EPOCH, "program.py": program})
    found = analyse(Source(str(tmp_path / "own.py"), EPOCH), Project([tmp_path]))
    (fault,) = (one for one in found if one.kind is Pitfall.EVALUATION_BUILDS_GRAPHS)
    kinds = {one.kind for one in fault.assumptions}
    assert (Kind.EVALUATED_WITH_GRAD_MODE in kinds) is assumed
