"""Options of a program, which are what they are by default."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted
from tests.vm.running import faults, kinds

# Fails where the first two conditions do not hold and the last two do, as neither a path that goes
# through all of them nor one that goes round all of them, nor one step away from these, has it.
PROGRAM = """
import argparse
parser = argparse.ArgumentParser()
{added}
parser.add_argument('--never', action='store_true')
parser.add_argument('--always', action='store_false')
args = parser.parse_args()
w = torch.ones(3, requires_grad=True)
y = w.exp()
if {off}:
    y = y.clone()
if args.never:
    y = y.clone()
if {on}:
    y.mul_(2)
if args.always:
    y.sum().backward()
"""
OFF = [
    ("parser.add_argument('--try', action='store_true', dest='tried')", "args.tried"),
    ("parser.add_argument('-t', '--try-out', action='store_true')", "args.try_out"),
    ("parser.add_argument('--tried')", "args.tried"),
    ("parser.add_argument('--tried')", "args.tried is not None"),
    ("parser.add_argument('--tried', default='')", "args.tried != ''"),
    ("parser.add_argument('--tried', type=int, default=1)", "args.tried > 1"),
    ("parser.add_argument_group('a').add_argument('--tried', default=0)", "args.tried"),
    ("parser.set_defaults(tried=False)", "args.tried"),
]
ON = [
    ("parser.add_argument('--whole', action='store_false')", "args.whole"),
    ("parser.add_argument('--mode', default='small')", "args.mode == 'small'"),
    ("parser.add_argument('--times', type=int, default=3)", "args.times < 5"),
    ("parser.add_argument('--mode', default='small')", "args.mode + '_net' == 'small_net'"),
    ("parser.add_argument('--mode', default='small')", "f'{args.mode}_net' == 'small_net'"),
    ("parser.add_argument('--mode', default='small')", "'%s_net' % args.mode == 'small_net'"),
    ("parser.add_argument('--mode', default='small')", "'{}_net'.format(args.mode) == 'small_net'"),
    ("parser.add_argument('--mode', default='small')", "args.mode.upper() == 'SMALL'"),
    ("parser.add_argument('--mode', default='small')", "args.mode.startswith('s')"),
]


@pytest.mark.parametrize(("added", "off"), OFF)
def test_what_is_off_by_default_is_not_done(added: str, off: str) -> None:
    text = PROGRAM.format(added=added, off=off, on="args.always")
    assert kinds(text) == ["saved-tensor-modified"]


@pytest.mark.parametrize(("added", "on"), ON)
def test_what_is_on_by_default_is_done(added: str, on: str) -> None:
    text = PROGRAM.format(added=added, off="args.never", on=on)
    assert kinds(text) == ["saved-tensor-modified"]


def test_of_what_has_to_be_given_no_default_is_known() -> None:
    added = "parser.add_argument('--tried', action='store_true', required=True)"
    assert kinds(PROGRAM.format(added=added, off="args.tried", on="args.always")) == []


CHOSEN = """
    import argparse
    parser = argparse.ArgumentParser()
    parser.add_argument('--optimizer', default='Adam')
    args = parser.parse_args()
    chosen = getattr(torch.optim, args.optimizer)(model.parameters())
    for x, y in loader:
        {clear}
        F.mse_loss(model(x), y).backward()
        chosen.step()
    """


def test_what_is_chosen_by_name_is_what_the_default_names() -> None:
    kept, cleared = (noted(CHOSEN.format(clear=c)) for c in ("pass", "chosen.zero_grad()"))
    assert Pitfall.MISSING_ZERO_GRAD in kept - cleared


RATE = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument('--rate', type=float, default={default})
parser.add_argument('--width', type=int, default=4)
args = parser.parse_args()
drop = nn.Dropout(args.rate, inplace=True)
net = nn.Sequential(nn.Linear(3, args.width), nn.ReLU(), {layer}, nn.Linear(args.width, 2))
net(torch.ones(2, 3)).{root}.backward()
"""


@pytest.mark.parametrize(("default", "found"), [("0.0", []), ("0.1", ["saved-tensor-modified"])])
def test_a_rate_is_what_it_is_by_default(default: str, found: list[str]) -> None:
    assert kinds(RATE.format(default=default, layer="drop", root="sum()")) == found


def test_a_width_is_no_flag() -> None:
    assert kinds(RATE.format(default=0.1, layer="nn.Linear(4, args.width)", root="sum()")) == []


DEFAULTS = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument('--count', type=int, default={count})
parser.add_argument('--name', default='first')
args = parser.parse_args()
"""


def assumed(text: str, count: int = 4) -> list[list[str]]:
    """What each fault of a program with an option of a default rests on."""
    return [
        sorted(why.name for why in one.premises)
        for one in faults(DEFAULTS.format(count=count) + text)
    ]


SIZES = [
    "torch.rand(args.count, 1, requires_grad=True)",
    "torch.rand((1, args.count), requires_grad=True)",
    "torch.rand(1, requires_grad=True).expand(args.count)",
    "nn.Linear(2, args.count)(torch.rand(1, 2))",
]


@pytest.mark.parametrize("root", SIZES)
def test_sizes_are_what_options_are_by_default(root: str) -> None:
    assert assumed(f"({root} * 1).backward()") == [[]]


def test_one_alone_by_default_is_no_known_size() -> None:
    assert assumed("(torch.rand(args.count, requires_grad=True) * 1).backward()", count=1) == []


ROUNDS = """
w = torch.ones(1, requires_grad=True)
y = w * w
for _ in range(args.count):
    y.backward()
"""


def test_a_loop_runs_as_often_as_an_option_says_by_default() -> None:
    assert assumed(ROUNDS) == [[]]


@pytest.mark.parametrize(
    "asked", ["getattr(net, args.name)", "{'other': 0, 'first': net.first}[args.name]"]
)
def test_a_part_is_the_one_that_an_option_names_by_default(asked: str) -> None:
    text = f"""
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.other, self.first = nn.ReLU(), nn.Linear(2, 2)

net = Net()
part = {asked}
part.weight.fill_(1)
"""
    assert assumed(text) == [[]]
