"""What a graph keeps for backward: bytes, lines, what is shared."""

from pathlib import Path
from textwrap import dedent

import torch

from autograd_lint.live.attention import WHOLE_RUN
from autograd_lint.live.kept import Inventory, table
from autograd_lint.live.timeline import page
from autograd_lint.live.tracing import Tracer
from tests.live.command import trace

PROGRAM = """
import torch
x = torch.ones(4, requires_grad=True)
c = torch.ones(4)
h = torch.sigmoid(x * c)
y = h * c
c.mul_(2)
try:
    y.sum().backward()
except RuntimeError:
    pass
"""


def inventory(tmp_path: Path, source: str = PROGRAM) -> Inventory:
    file = tmp_path / "program.py"
    file.write_text(dedent(source).lstrip())
    found = Inventory()
    with Tracer(WHOLE_RUN, str(file), found):
        exec(compile(file.read_text(), str(file), "exec"), {})
    return found


def test_a_constant_that_is_used_twice_is_kept_once(tmp_path: Path) -> None:
    largest = inventory(tmp_path).largest
    assert largest is not None
    kept = [(one.operator, one.place.row, one.shared) for one in largest.kept if one.place]
    assert kept == [("mul", 4, ""), ("sigmoid", 4, ""), ("mul", 5, "`mul` (row 4)")]
    assert largest.bytes == 32


def test_writes_since_the_save_are_known(tmp_path: Path) -> None:
    largest = inventory(tmp_path).largest
    assert largest is not None
    rows = {one.operator: [place.row for place, _ in one.writes if place] for one in largest.kept}
    assert rows == {"mul": [6], "sigmoid": []}


def test_table_names_the_largest_first(tmp_path: Path) -> None:
    largest = inventory(tmp_path).largest
    assert largest is not None
    head, first, *_ = table(largest)
    assert head == "kept for `backward` at row 8: 32 B in 3 tensors"
    assert first.split()[:3] == ["16", "B", "mul.other"]


def test_one_tensor_is_counted_as_one(tmp_path: Path) -> None:
    source = "import torch\nx = torch.ones(1, requires_grad=True)\nx.exp().sum().backward()\n"
    largest = inventory(tmp_path, source).largest
    assert largest is not None
    assert table(largest)[0].endswith(" in 1 tensor")


def test_parameters_are_shared_with_their_leaves(tmp_path: Path) -> None:
    source = """
        import torch
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
        net(torch.ones(1, 2)).sum().backward()
        """
    largest = inventory(tmp_path, source).largest
    assert largest is not None
    assert "a leaf" in {one.shared for one in largest.kept}


def test_page_shows_the_overwritten_tensor_over_its_source(tmp_path: Path) -> None:
    found = inventory(tmp_path)
    file = str(tmp_path / "program.py")
    html = page(found.first, {file: (tmp_path / "program.py").read_text().splitlines()})
    assert html.count('class="stale"') == 2  # lanes over the source
    assert html.count('class="lost"') == 2  # bars over time
    assert "c.mul_(2)" in html
    assert "http" not in html


def test_page_of_a_run_without_backward_says_so() -> None:
    assert "Nothing called backward" in page([], {})


def test_command_writes_table_and_page(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    result = trace("--saved", "--timeline", "page.html", "program.py", cwd=tmp_path)
    assert result.returncode == 0
    assert "kept for `backward` at row 9" in result.stderr
    assert "<svg" in (tmp_path / "page.html").read_text()


def test_the_work_of_a_cell_on_parts_of_its_own_memory_overwrites_nothing() -> None:
    inventory = Inventory()
    with Tracer(inventory=inventory):
        cell = torch.nn.GRUCell(2, 3)
        h = cell(torch.ones(1, 2), torch.zeros(1, 3))
        cell(torch.ones(1, 2), h).sum().backward()
    assert [one.writes for one in inventory.first[0].kept if one.writes] == []
