"""Modules that another one keeps in a list which it does not register."""

from pathlib import Path

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree
from tests.vm.running import faults, kinds

LISTED = """
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)

    def forward(self, x):
        return self.lin(x)

class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layers = {empty}
        for _ in range(n):
            self.layers.append(Layer())
        {after}

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
"""


def test_a_plain_list_of_modules_of_the_program() -> None:
    assert kinds(LISTED.format(empty="[]", after="pass")) == [Pitfall.UNREGISTERED.value]


@pytest.mark.parametrize(
    ("empty", "after"),
    [
        ("nn.ModuleList()", "pass"),
        ("[]", "self.chain = nn.Sequential(*self.layers)"),
        ("[]", "self.first = self.layers[0]"),
    ],
)
def test_what_is_registered_by_another_way_is_known(empty: str, after: str) -> None:
    assert kinds(LISTED.format(empty=empty, after=after)) == []


@pytest.mark.parametrize(
    ("after", "lost"),
    [
        ("self.options = read_options()", True),
        ("self.registry = register(self.layers)", False),
        ("register(self)", False),
    ],
)
def test_what_unknown_code_is_given_may_be_registered_there(after: str, lost: bool) -> None:
    text = "from somewhere import read_options, register\n" + LISTED.format(empty="[]", after=after)
    assert (Pitfall.UNREGISTERED.value in kinds(text)) is lost


@pytest.mark.parametrize(("kept", "found"), [("nn.ModuleDict()", False), ("dict()", True)])
def test_what_a_dictionary_of_modules_gets_under_any_name_is_known(kept: str, found: bool) -> None:
    empty = f"[]; self.known = {kept}; self.others = []; self.others.append(nn.Identity())"
    text = LISTED.format(empty=empty, after="pass")
    named = "layer = Layer(); self.known[n] = layer; self.layers.append(layer)"
    text = text.replace("self.layers.append(Layer())", named)
    assert (Pitfall.UNREGISTERED.value in kinds(text)) is found


SHARDS = """
class Shards(nn.Module):
    def __init__(self, module, count):
        super().__init__()
        self.module = module
        self.shards = [nn.Parameter(torch.zeros(4)) for _ in range(count)]

    def forward(self, x):
        return self.module(x) + sum(shard.sum() for shard in self.shards)

    def trained(self):
        return {returned}
"""


@pytest.mark.parametrize(
    ("returned", "lost"),
    [
        ("[self.shards[0]]", False),
        ("self.shards", False),
        ("len(self.shards)", True),
        ("self.shards[0] * 2", True),
    ],
)
def test_parameters_that_a_method_gives_out_are_registered_by_whoever_asks(
    returned: str, lost: bool
) -> None:
    assert ("unregistered" in kinds(SHARDS.format(returned=returned))) is lost


HEADS = """
class Heads(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.heads = [nn.Linear(2, 1) for _ in range(count)]

    def forward(self, x):
        return torch.cat([head(x) for head in self.heads])

    {method}

class More(Heads):
    def forward(self, x):
        return super().forward(x) + 1
"""


@pytest.mark.parametrize(
    "method",
    [
        """def parameters(self):
        for head in self.heads:
            for weight in head.parameters():
                yield weight""",
        """def trained(self):
        found = list(self.heads[0].parameters())
        for head in self.heads[1:]:
            found += head.parameters()
        return found""",
        """def groups(self, rate):
        return [{"params": head.parameters(), "lr": rate} for head in self.heads]""",
        """def named(self):
        return itertools.chain(*[head.named_parameters() for head in self.heads])""",
    ],
)
def test_parameters_that_a_method_collects_and_gives_out_are_registered_by_whoever_asks(
    method: str,
) -> None:
    assert kinds(HEADS.format(method=method)) == []


@pytest.mark.parametrize(
    "method",
    [
        """def penalty(self):
        return sum(weight.sum() for head in self.heads for weight in head.parameters())""",
        """def start(self):
        for head in self.heads:
            for weight in head.parameters():
                nn.init.zeros_(weight)
        return self""",
    ],
)
def test_parameters_that_a_method_only_uses_are_given_to_nobody(method: str) -> None:
    assert Pitfall.UNREGISTERED.value in kinds(HEADS.format(method=method))


KNOWN = """
class Known:
    def __init__(self, module):
        self.module = module

class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.known = []
        for _ in range(n):
            self.known.append({item})

    def forward(self, x):
        for one in self.known:
            x = {called}(x)
        return x
"""


@pytest.mark.parametrize(
    ("item", "called", "found"),
    [("Known(nn.Linear(2, 2))", "one.module", False), ("nn.Linear(2, 2)", "one", True)],
)
def test_other_objects_may_know_modules_that_are_registered_elsewhere(
    item: str, called: str, found: bool
) -> None:
    text = KNOWN.format(item=item, called=called)
    assert (Pitfall.UNREGISTERED.value in kinds(text)) is found


CHOSEN = """
def build(name):
    if name == "small":
        return nn.Linear(2, 2)
    return nn.Linear(2, 2), nn.Linear(2, 2)

class Net(nn.Module):
    def __init__(self, name):
        super().__init__()
        self.net = build(name)

    def forward(self, x):
        return {used}
"""
TRAINED = CHOSEN + "torch.optim.SGD(Net('wide').parameters(), 0.1)\n"


@pytest.mark.parametrize("used", ["self.net(x)", "x @ self.net.weight"])
def test_what_the_class_uses_as_a_module_is_no_tuple(used: str) -> None:
    found = [one for fault in faults(TRAINED.format(used=used)) for one in (fault, *fault.also)]
    assert Pitfall.UNREGISTERED not in {one.kind for one in found}


def test_what_it_takes_parts_of_is_one() -> None:
    used = "self.net[0](x)"
    found = [one for fault in faults(TRAINED.format(used=used)) for one in (fault, *fault.also)]
    assert Pitfall.UNREGISTERED in {one.kind for one in found}


WRAPPED = """
class Net(nn.Module):
    def __init__(self, encoder: nn.Linear, size=2):
        super().__init__()
        self.kept = {kept}
        {after}

    def forward(self, x):
        return self.kept[0](x)

Net(nn.Linear(2, 2))
"""


@pytest.mark.parametrize(
    ("kept", "after", "told"),
    [
        ("(encoder,)", "pass", False),
        ("[encoder]", "pass", False),
        ("[encoder]", "self.kept.append(nn.Linear(2, 2))", True),
        ("[nn.Linear(2, 2)]", "pass", True),
    ],
)
def test_an_argument_in_brackets_is_kept_from_being_registered(
    kept: str, after: str, told: bool
) -> None:
    assert (Pitfall.UNREGISTERED.value in kinds(WRAPPED.format(kept=kept, after=after))) is told


TRAINER = """
from pytorch_lightning import LightningModule, Trainer

class Net(LightningModule):
    def __init__(self):
        super().__init__()
        self.kept = {{"net": nn.Linear(2, 2)}}
        self.wanted = list(self.kept["net"].parameters())
        self.head = nn.Linear(2, 2)

    def configure_optimizers(self):
        return torch.optim.SGD({wanted}, lr=0.1)

    def training_step(self, batch, index):
        return self.head(self.kept["net"](batch)).mean()

print(Net())
"""


@pytest.mark.parametrize(("wanted", "told"), [("self.wanted", False), ("self.parameters()", True)])
def test_a_run_that_makes_no_optimizer_tells_nothing_of_what_a_trainer_asks_for(
    wanted: str, told: bool
) -> None:
    assert (Pitfall.UNREGISTERED.value in kinds(TRAINER.format(wanted=wanted))) is told


def test_an_optimizer_of_another_object_tells_nothing_of_this_one() -> None:
    text = TRAINER.format(wanted="self.wanted") + "optimizer = Net().configure_optimizers()\n"
    assert Pitfall.UNREGISTERED.value not in kinds(text)


CUT_SHORT = """import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(2, 2)]
        {between}
        self.chain = {chain}

    def forward(self, x):
        return self.layers[0](x)
"""
USING = "import torch\nfrom helper import Net\n\nnet = Net()\nnet(torch.ones(2)).sum().backward()\n"


@pytest.mark.parametrize(
    ("between", "chain", "told"),
    [
        ("raise ValueError('few')", "nn.Sequential(*self.layers)", False),
        ("print('many')", "nn.Sequential(*self.layers)", False),
        ("print('many')", "None", True),
    ],
)
def test_a_constructor_that_was_not_run_to_its_end_may_register_further_on(
    tmp_path: Path, between: str, chain: str, told: bool
) -> None:
    helper = CUT_SHORT.format(between=between, chain=chain)
    write_tree(tmp_path, {"helper.py": helper, "main.py": USING})
    found = analyse(Source(str(tmp_path / "main.py"), USING), Project([tmp_path]))
    assert (Pitfall.UNREGISTERED in {fault.kind for fault in found}) is told
