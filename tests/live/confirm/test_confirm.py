"""Verdicts: confirmed, refuted, undecided."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from autograd_lint.findings import Confirmation, Finding, Prediction, Related
from autograd_lint.live.confirm.confirm import Confirmer
from autograd_lint.live.confirm.jobs import Outcome
from autograd_lint.places import Place

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")
Confirm = Callable[[str, Finding], Confirmation]

SCRIPT = """
import torch
x = torch.zeros(3, requires_grad=True)
h = torch.sigmoid(x)
h += 1
h.sum().backward()
"""


@pytest.fixture(scope="module")
def confirmer() -> Iterator[Confirmer]:
    with Confirmer() as running:
        yield running


@pytest.fixture
def confirm(confirmer: Confirmer, tmp_path: Path) -> Confirm:
    def run(source: str, finding: Finding) -> Confirmation:
        file = tmp_path / "program.py"
        file.write_text(dedent(source).lstrip())
        related = [replace(o, place=at(o.place.row, str(file))) for o in finding.related]
        placed = replace(finding, place=at(finding.place.row, str(file)), related=tuple(related))
        if finding.predicts is not None:
            raised = None if finding.predicts.row is None else str(file)
            placed = replace(placed, predicts=replace(finding.predicts, filename=raised))
        result = confirmer.confirm(placed).confirmation
        assert result is not None
        assert file.read_text() == dedent(source).lstrip()
        return result

    return run


def at(row: int, filename: str = "program.py") -> Place:
    return Place(filename, row, 1, row, 2)


def modified(row: int, needed: int | None) -> Finding:
    return Finding(
        "AG103",
        "saved-tensor-modified",
        "",
        at(row),
        role="modified",
        predicts=Prediction("saved-tensor-modified", "program.py", needed),
    )


def test_confirmed_with_the_message_and_row_of_the_engine(confirm: Confirm) -> None:
    result = confirm(SCRIPT, modified(4, 5))
    assert (result.verdict, result.row) == ("confirmed", 5)
    assert result.error is not None
    assert "is at version 1; expected version 0" in result.error


def test_verdict_names_what_was_not_shut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "program.py"
    file.write_text(SCRIPT.lstrip())
    needed = Prediction("saved-tensor-modified", str(file), 5)
    finding = replace(modified(4, 5), place=at(4, str(file)), predicts=needed)
    lacking = Outcome("done", lacking=("files (Landlock): Function not implemented",))
    with Confirmer() as confirmer:
        monkeypatch.setattr(confirmer._witnesses, "run", lambda job: lacking)
        result = confirmer.confirm(finding).confirmation
    assert result is not None
    said = "the witness ran without files (Landlock): Function not implemented"
    assert said in result.assumptions


def test_a_wrong_cause_is_not_confirmed(confirm: Confirm) -> None:
    assert confirm(SCRIPT, modified(3, 5)).verdict == "undecided"


def test_refuted_where_everything_ran_without_error(confirm: Confirm) -> None:
    source = SCRIPT.replace("sigmoid", "neg")
    assert confirm(source, modified(4, 5)).verdict == "refuted"


def test_undecided_says_where_it_stopped(confirm: Confirm) -> None:
    source = SCRIPT.replace("h += 1", "open('/no/such/file')")
    result = confirm(source, modified(4, 5))
    assert result.verdict == "undecided"
    assert result.reason is not None
    assert "at row 4" in result.reason


def test_undecided_where_a_row_was_not_reached(confirm: Confirm) -> None:
    source = SCRIPT.replace("h += 1", "if x.sum() > 5: h += 1")
    source = source.replace("h.sum()", "if False: h.sum()")
    assert confirm(source, modified(4, 5)).verdict == "undecided"


def test_second_backward_is_confirmed_by_retaining_the_graph(confirm: Confirm) -> None:
    source = """
        import torch
        h = torch.zeros(3, requires_grad=True).exp()
        h.sum().backward()
        h.sum().backward()
        """
    prediction = Prediction("graph-freed", "program.py", 4)
    finding = Finding("AG201", "graph-freed", "", at(3), role="freed", predicts=prediction)
    result = confirm(source, finding)
    assert (result.verdict, result.reason) == (
        "confirmed",
        "with the graph retained it does not fail",
    )


SAVED = Related("saved", "", at(3))
HIDDEN = Finding("AG106", "hidden-modification", "", at(4), role="modified", related=(SAVED,))


def test_the_graph_of_made_up_arguments_confirms_nothing(confirm: Confirm) -> None:
    source = """
    import torch

    class Fit(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.rate = torch.nn.Parameter(torch.ones(2))

        def adapt(self, inputs, targets):
            for _ in range(2):
                ((inputs * self.rate - targets) ** 2).sum().backward()
    """
    needed = Prediction("graph-freed", "program.py", 10)
    carried = Finding("AG202", "graph-carried-over", "", at(6), role="built", predicts=needed)
    carried = replace(carried, related=(Related("needed", "", at(10)),))
    result = confirm(source, carried)
    assert result.verdict != "confirmed", result.assumptions


def test_silent_finding_is_confirmed_by_gradients(confirm: Confirm) -> None:
    source = SCRIPT.replace("h += 1", "h.data.add_(1)")
    assert confirm(source, HIDDEN).verdict == "confirmed"


def test_silent_write_to_values_that_do_not_matter_is_refuted(confirm: Confirm) -> None:
    source = """
        import torch
        x = torch.zeros(2, requires_grad=True)
        h = torch.relu(x + 1)
        h.data.add_(1)
        h.sum().backward()
        """
    assert confirm(source, HIDDEN).verdict == "refuted"


def test_module_that_nobody_trains_gets_training_steps(confirm: Confirm) -> None:
    source = """
        import torch
        from torch import nn

        class Block(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.body = nn.Linear(width, width)

            def forward(self, x):
                x = torch.tanh(self.body(x))
                x.mul_(2)
                return x
        """
    result = confirm(source, modified(11, None))
    assert result.verdict == "confirmed"
    assert "`Block` is trained for some steps" in result.assumptions
    assert any(text.startswith("`width` of `Block()` is 8") for text in result.assumptions)


def test_inputs_are_assumed_to_require_grad_only_where_needed(confirm: Confirm) -> None:
    source = """
        import torch

        def scaled(x):
            y = x.exp()
            y *= 2
            return y
        """
    result = confirm(source, modified(5, None))
    assert result.verdict == "confirmed"
    assert "tensor arguments require grad" in result.assumptions


def test_cell_of_a_notebook_is_undecided(confirm: Confirm) -> None:
    finding = replace(modified(4, 5), cell=1)
    assert confirm(SCRIPT, finding).verdict == "undecided"


def test_related_places_must_have_run_too(confirm: Confirm) -> None:
    source = SCRIPT.replace("h += 1", "if x.sum() < 5: h = h + 1\nelse: h += 1")
    finding = replace(modified(5, 6), related=(Related("saved", "", at(3)),))
    assert confirm(source, finding).verdict == "undecided"


def test_finding_that_nothing_would_show_is_undecided(confirm: Confirm) -> None:
    finding = Finding("AG401", "missing-zero-grad", "", at(4), role="needed")
    assert confirm(SCRIPT, finding).verdict == "undecided"


def test_write_that_fails_behind_another_is_confirmed(confirm: Confirm) -> None:
    source = """
        import torch
        x = torch.zeros(3, requires_grad=True)
        first = torch.sigmoid(x)
        first += 1
        second = torch.tanh(first)
        second += 1
        second.sum().backward()
        """
    result = confirm(source, modified(4, 7))
    assert result.verdict == "confirmed"
    assert "the write at row 6, which fails first, is undone" in result.assumptions


def test_witness_of_a_script_is_its_file(confirm: Confirm) -> None:
    result = confirm(SCRIPT, modified(4, 5))
    assert result.witness is not None
    assert result.witness.endswith("program.py")


def test_witness_of_driven_code_is_a_program_that_fails_the_same_way(confirm: Confirm) -> None:
    source = """
        import torch

        def scaled(x):
            y = x.exp()
            y *= 2
            return y
        """
    result = confirm(source, modified(5, None))
    assert result.witness is not None
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        exec(result.witness, {})


def test_function_that_cannot_be_driven_is_cut_down_to_the_statements(confirm: Confirm) -> None:
    source = """
        import torch

        class Solver:
            def __init__(self, table):
                self.rows = [row for row in open(table)]

            def solve(self, batch):
                weights = self.compute(batch["weights"])
                h = torch.sigmoid(weights * self.scale)
                h[0] = 0
                return self.finish(h)
        """
    result = confirm(source, modified(10, None))
    assert result.verdict == "confirmed"
    assert "only rows 8, 9, 10 are run" in result.assumptions
    assert result.witness is not None
    assert "h = torch.sigmoid(weights * self.scale)" in result.witness


def test_statements_alone_never_refute(confirm: Confirm) -> None:
    source = """
        import torch

        def solve(batch):
            table = open(batch.table)
            h = torch.neg(batch.weights)
            h += 1
            return h
        """
    assert confirm(source, modified(6, None)).verdict == "undecided"


def test_write_to_a_leaf_among_the_statements(confirm: Confirm) -> None:
    source = """
        import torch

        def initialise(network, table):
            prior = open(table).read()
            for layer in network.detections:
                layer.bias.add_(prior)
        """
    finding = Finding(
        "AG101",
        "leaf-modified",
        "",
        at(6),
        role="modified",
        predicts=Prediction("leaf-modified", "program.py", 6),
    )
    assert confirm(source, finding).verdict == "confirmed"


@pytest.mark.parametrize(
    ("change", "verdict"), [("+= loss", "confirmed"), ("= loss.detach()", "undecided")]
)
def test_graph_that_is_kept_from_round_to_round(
    confirm: Confirm, change: str, verdict: str
) -> None:
    source = """
        import torch

        class Meter:
            def __init__(self, table):
                self.total = open(table)

            def update(self, loss):
                self.total += loss
        """
    finding = Finding("AG501", "graph-kept", "", at(8))
    assert confirm(source.replace("+= loss", change), finding).verdict == verdict


def test_write_of_the_next_call(confirm: Confirm) -> None:
    source = """
        import torch

        def score(logits, labels, table):
            pad = open(table)
            labels[labels == -1] = 0
            return torch.gather(logits.log_softmax(-1), 1, labels)
        """
    finding = replace(modified(5, None), related=(Related("saved", "", at(6)),))
    assert confirm(source, finding).verdict == "confirmed"


def test_what_a_program_puts_on_cuda_is_copied(confirm: Confirm) -> None:
    source = """
        import torch
        x = torch.zeros(3, requires_grad=True).cuda()
        torch.optim.SGD([x], lr=0.1)
        """
    prediction = Prediction("non-leaf-optimizer", "program.py", 3)
    result = confirm(source, Finding("AG303", "non-leaf-optimizer", "", at(3), predicts=prediction))
    assert result.verdict == "confirmed"


@pytest.mark.parametrize(("call", "verdict"), [("cpu", "confirmed"), ("clone", "undecided")])
def test_alias_that_changes_what_a_caller_holds(confirm: Confirm, call: str, verdict: str) -> None:
    source = """
        import torch

        def cost(logits):
            return logits.cpu().neg_()
        """
    finding = Finding("AG114", "alias-taken-for-copy", "", at(4))
    assert confirm(source.replace("cpu", call), finding).verdict == verdict


@pytest.mark.parametrize(("limit", "verdict"), [("2.0", "confirmed"), ("9.0", "undecided")])
def test_change_that_autograd_does_not_record(confirm: Confirm, limit: str, verdict: str) -> None:
    source = """
        import torch
        x = torch.tensor([0.5, 3.0], requires_grad=True)
        hidden = x + 1
        hidden.data.clamp_(max=2.0)
        hidden.square().sum().backward()
        """
    finding = Finding("AG112", "unrecorded-change", "", at(4))
    assert confirm(source.replace("max=2.0", f"max={limit}"), finding).verdict == verdict


RETAINED = """
import torch
w = torch.ones(2, requires_grad=True)
for _ in range(2):
    loss = w.pow(3).sum()
    loss.backward(retain_graph=True)
    AGAIN
"""


@pytest.mark.parametrize(
    ("again", "verdict"), [("pass", "confirmed"), ("loss.backward()", "refuted")]
)
def test_a_graph_is_kept_for_nothing_where_the_same_comes_without(
    confirm: Confirm, again: str, verdict: str
) -> None:
    finding = Finding("AG502", "needless-retain-graph", "", at(5))
    assert confirm(RETAINED.replace("AGAIN", again), finding).verdict == verdict


@pytest.mark.parametrize(
    ("code", "statement", "verdict"),
    [
        ("AG323", "w.require_grad = False", "confirmed"),
        ("AG331", "torch.no_grad()", "confirmed"),
        ("AG408", "loss.backward", "confirmed"),
        ("AG409", "loss.detach()", "confirmed"),
        ("AG323", "w.requires_grad = False", "undecided"),
        ("AG408", "loss.backward(retain_graph=True)", "undecided"),
    ],
)
def test_a_statement_is_without_effect_where_the_same_comes_without(
    confirm: Confirm, code: str, statement: str, verdict: str
) -> None:
    program = f"""
        import torch
        w = torch.ones(2, requires_grad=True)
        v = torch.ones(2, requires_grad=True)
        loss = (w * v).sum()
        {statement}
        (loss + (w + v).sum()).backward()
        """
    assert confirm(program, Finding(code, "", "", at(5))).verdict == verdict


STATISTICS = """
    import torch
    import torch.nn.functional as F
    x = torch.randn(8, 3, requires_grad=True)
    mean, var = torch.zeros(3), torch.ones(3)
    y = F.batch_norm(x, mean, var, None, None, {first})
    z = F.batch_norm(x, mean, var, None, None, True)
    (y + z).sum().backward()
"""


@pytest.mark.parametrize(("first", "verdict"), [(False, "confirmed"), (True, "refuted")])
def test_statistics_that_no_schema_says_are_written(
    confirm: Confirm, first: bool, verdict: str
) -> None:
    finding = replace(HIDDEN, place=at(6), related=(replace(SAVED, place=at(5)),))
    assert confirm(STATISTICS.format(first=first), finding).verdict == verdict


def test_a_hidden_write_before_a_backward_that_fails(confirm: Confirm) -> None:
    """The gradients of that backward, which it would change, are never computed."""
    program = """
        import torch
        x = torch.rand(2, requires_grad=True)
        h = x.exp()
        k = h * h
        h.sum().backward()
        h.data.add_(1)
        k.sum().backward()
        """
    saved, needed = Related("saved", "", at(4)), Related("needed", "", at(7))
    finding = Finding("AG106", "hidden-modification", "", at(6), role="modified")
    verdict = confirm(program, replace(finding, related=(saved, needed)))
    assert verdict.verdict == "confirmed"
    assert "graphs are retained, as a second backward fails first" in verdict.assumptions


KEPT = "import torch\nw = torch.ones(2, requires_grad=True)\nkept = w.exp()\n"


def test_a_graph_that_another_file_built(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(KEPT)
    file = tmp_path / "program.py"
    file.write_text("from parts import kept\nkept.sum().backward()\nkept.sum().backward()\n")
    finding = Finding(
        "AG201",
        "graph-freed",
        "",
        at(3, str(file)),
        predicts=Prediction("graph-freed", str(file), 3),
    )
    with Confirmer(root=str(tmp_path)) as confirmer:
        verdict = confirmer.confirm(finding).confirmation
    assert verdict is not None and verdict.verdict == "confirmed"


def test_a_script_in_a_package_finds_it_below_the_root(tmp_path: Path) -> None:
    package = tmp_path / "src" / "nets"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "parts.py").write_text(KEPT)
    file = package / "program.py"
    file.write_text("from nets.parts import kept\nkept.add_(1)\nkept.sum().backward()\n")
    finding = Finding(
        "AG103",
        "saved-tensor-modified",
        "",
        at(2, str(file)),
        role="modified",
        predicts=Prediction("saved-tensor-modified", str(file), 3),
    )
    with Confirmer(root=str(tmp_path)) as confirmer:
        verdict = confirmer.confirm(finding).confirmation
    assert verdict is not None and verdict.verdict == "confirmed"
    assert verdict.assumptions == ("the file is run as a script",)


def test_the_second_statement_of_a_row_is_undone(confirm: Confirm) -> None:
    source = """
        import torch
        w = torch.ones(2, requires_grad=True)
        row = w; row[0] = 0
        w.sum().backward()
        """
    finding = Finding(
        "AG102",
        "leaf-view-modified",
        "",
        at(3),
        role="modified",
        predicts=Prediction("leaf-view-modified", None, 3),
    )
    assert confirm(source, finding).verdict == "confirmed"


def test_an_error_behind_a_silent_finding_is_none_of_its_own(confirm: Confirm) -> None:
    source = """
        import torch
        x = torch.ones(2, requires_grad=True)
        hidden = x + 1
        kept = hidden.detach()
        hidden += 5
        kept.sum().backward()
        """
    verdict = confirm(source, Finding("AG109", "snapshot-overwritten", "", at(5)))
    assert (verdict.verdict, verdict.error, verdict.row) == ("confirmed", None, None)
