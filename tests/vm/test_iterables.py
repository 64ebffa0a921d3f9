"""Built-in functions over sequences."""

import pytest

from tests.vm.running import certain, kinds

LEAVES = "a, b = [torch.ones(3, requires_grad=True) for _ in range(2)]\n"


@pytest.mark.parametrize(
    "sequence",
    [
        "[a, b]",
        "filter(None, [a, b])",
        "map(lambda t: t, [a, b])",
        "reversed([a, b])",
        "sorted([a, b], key=id)",
        "(t for t in (a, b))",
    ],
)
def test_elements_stay_the_same_tensors(sequence: str) -> None:
    assert certain(LEAVES + f"for t in {sequence}:\n    t += 1\n") == ["leaf-modified"]


def test_pairs_stay_the_same_tensors() -> None:
    text = LEAVES + "for i, (s, t) in enumerate(zip([a], [b])):\n    t += i + 1\n"
    assert certain(text) == ["leaf-modified"]


@pytest.mark.parametrize("origin", ["itertools import izip as zip", "six.moves import zip"])
def test_what_older_code_imports_for_a_built_in_function_is_that(origin: str) -> None:
    guarded = f"try:\n    from {origin}\nexcept ImportError:\n    pass\n"
    text = guarded + LEAVES + "for s, t in zip([a], [b]):\n    t += 1\n"
    assert certain(text) == ["leaf-modified"]


def test_a_chain_goes_through_all() -> None:
    text = "import itertools\n" + LEAVES + "for t in itertools.chain([a.exp()], [b]):\n    t += 1\n"
    assert certain(text) == ["leaf-modified"]


def test_filter_leaves_out_what_needs_no_gradient() -> None:
    text = LEAVES + "b.requires_grad_(False)\nfor t in filter(lambda p: p.requires_grad, [b]):\n"
    assert certain(text + "    t += 1\n") == []


def test_a_sum_has_the_graph_of_its_parts() -> None:
    assert certain(LEAVES + "y = sum([a.exp(), b.exp()])\ny.sum().backward()\n") == []


@pytest.mark.parametrize("index", ["slice(1)", "slice(0, 2)", "slice(0, 2, 1)"])
def test_a_slice_made_by_hand(index: str) -> None:
    assert certain(LEAVES + f"s = {index}\na[s] = 0\n") == ["leaf-view-modified"]


def test_a_list_of_parameters_is_gone_through() -> None:
    program = """
weights = nn.ParameterList([nn.Parameter(torch.ones(2)) for _ in range(2)])
slopes = torch.autograd.grad(sum(one.exp().sum() for one in weights), weights, create_graph=True)
for one, slope in zip(weights, slopes):
    (one - slope).sum().backward()
    one.add_(1)
"""
    assert "leaf-modified" in kinds(program)


def test_the_rest_of_a_comprehension_of_data_is_data() -> None:
    program = "made = [torch.zeros(2) for _ in range(count())]\ntorch.cat(made).sum().backward()"
    assert kinds(program) == ["no-grad-root"]


ITERATOR = """
class Halves:
    def __init__(self):
        self.left = 2

    def __iter__(self):
        return self

    def __next__(self):
        self.left -= 1
        if self.left < 0:
            raise StopIteration
        return torch.ones(3, requires_grad=True)

"""


@pytest.mark.parametrize(
    "use",
    [
        "next(Halves()).add_(1)\n",
        "for half in Halves():\n    half.add_(1)\n",
        "for half in Halves():\n    pass\nhalf.add_(1)\n",
        "halves = Halves()\nnext(halves), next(halves)\nhalf = next(halves, torch.ones(1))\n"
        "half.add_(1)\ntorch.ones(1, requires_grad=True).add_(1)\n",
    ],
)
def test_an_iterator_of_the_program_gives_until_it_stops(use: str) -> None:
    assert certain(ITERATOR + use) == ["leaf-modified"]


GENERATED = """
net = torch.nn.Linear(3, 1)

def samples(k):
    while True:
        values = torch.empty(k, 1)
        for i in range(k):
            values[i] = net(torch.ones(3))
        yield values

generator = samples(4)
{first}
for _ in range(5):
    {each}
    values.exp().sum().backward()
"""


def test_each_call_of_next_computes_anew_what_a_generator_yields() -> None:
    anew = GENERATED.format(first="", each="values = next(generator)")
    assert kinds(anew) == []
    again = GENERATED.format(first="values = next(generator)", each="pass")
    assert kinds(again) == ["graph-freed"]


LAST = """
rows = [{rows}"end"]
for i in range(len(rows) - 1, -1, -1):
    if not isinstance(rows[i], str):
        break
rows[i].add_(1)
rows[{read}].sum().backward()
"""


@pytest.mark.parametrize(("read", "found"), [("19", ["saved-tensor-modified"]), ("0", [])])
def test_a_loop_that_counts_down_stops_where_the_program_does(read: str, found: list[str]) -> None:
    assert certain(LEAVES + LAST.format(rows="a.exp(), " * 20, read=read)) == found


def test_a_range_that_counts_down_from_an_unknown_number_begins_far_from_its_end() -> None:
    loop = "for i in range(n, -1, -1):\n        if not i:\n            break\n        a.add_(1)"
    assert kinds(f"{LEAVES}def f(n):\n    {loop}\n") == ["leaf-modified"]
