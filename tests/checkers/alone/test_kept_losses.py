"""Running sums and lists that take in the loss that a loop trains by."""

import pytest

from autograd_lint.checkers.alone.kept_losses import judge
from autograd_lint.project.source import Source
from tests.checkers.noting import told_at

EPOCH = """
def epoch(model, criterion, loader, optimizer, writer):
    {before}
    for x, y in loader:
        loss = {loss}
        loss.backward()
        optimizer.step()
        {added}
    {after}
"""


def summed(
    added: str = "total += loss",
    before: str = "total = 0.0",
    loss: str = "criterion(model(x), y)",
    after: str = "writer.log(total / len(loader))",
) -> list[int]:
    """The rows at which a sum is told to keep graphs."""
    return told_at(judge, EPOCH.format(added=added, before=before, loss=loss, after=after))


def test_a_sum_of_losses_keeps_their_graphs() -> None:
    assert summed() == [8]
    assert summed(added="self.total += loss", before="self.total = 0") == [8]


def test_the_graph_is_built_where_the_loss_is_computed() -> None:
    text = EPOCH.format(added="total += loss", before="total = 0", loss="model(x)", after="pass")
    (fault,) = judge(Source("a.py", text))
    assert fault.built is not None and fault.built.place is not None
    assert fault.built.place.row == 5


@pytest.mark.parametrize(
    "added",
    [
        "total += loss.item()",
        "total += float(loss)",
        "loss = loss.detach()\n        total += loss",
        "with torch.no_grad():\n            total += loss",
        "loss.detach_()\n        total += loss",
        "total += loss\n        total = 0.0",
        "count += 1",
    ],
)
def test_a_number_or_a_constant_has_no_graph(added: str) -> None:
    assert summed(added=added) == []


def test_a_sum_that_is_differentiated_itself_is_quiet() -> None:
    assert summed(after="total.backward()") == []
    assert summed(loss="criterion(model(x), y) + 0 * total") == []


def test_a_sum_over_a_window_of_one_step_is_quiet() -> None:
    text = EPOCH.format(added="total += loss", before="total = 0", loss="model(x)", after="pass")
    window = text.replace("        optimizer.step()\n", "").replace("pass", "optimizer.step()")
    assert told_at(judge, window) == []


def test_a_sum_that_is_given_is_quiet() -> None:
    assert summed(before="pass") == []


ROUNDS = """
def train(model, criterion, loader, optimizer):
    for x, y in {batches}:
        {begun} = 0.0
        for _ in range(rounds):
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss
        print(total / rounds)
"""


@pytest.mark.parametrize(
    ("batches", "begun", "rows"),
    [("loader", "total", []), ("range(epochs)", "total", [10]), ("loader", "other", [])],
)
def test_a_sum_over_the_rounds_of_one_batch_is_gone_with_it(
    batches: str, begun: str, rows: list[int]
) -> None:
    assert told_at(judge, ROUNDS.format(batches=batches, begun=begun)) == rows


@pytest.mark.parametrize(
    ("before", "added"),
    [
        ("total = 0", "total = total + loss"),
        ("total = 0", "total += loss / len(loader)"),
        ("total = 0", "total += x.size(0) * loss"),
        ("losses = []", "losses.append(loss)"),
        ("sums = {'all': 0, 'other': 0}", "sums['all'] += loss"),
    ],
)
def test_multiples_of_losses_lists_and_entries_keep_graphs(before: str, added: str) -> None:
    assert summed(before=before, added=added) == [8]


@pytest.mark.parametrize(
    ("before", "added", "after"),
    [
        ("losses = []", "losses.append(loss.item())", "pass"),
        ("losses = []", "losses.append(loss)", "losses.clear()"),
        ("losses = []", "losses.append(loss)", "torch.stack(losses).mean().backward()"),
        ("losses = []", "losses.append(loss)\n        del losses[0]", "pass"),
        ("losses = deque(maxlen=9)", "losses.append(loss)", "pass"),
        ("sums = given", "sums['all'] += loss", "pass"),
    ],
)
def test_what_is_cut_shortened_or_differentiated_is_quiet(
    before: str, added: str, after: str
) -> None:
    assert summed(before=before, added=added, after=after) == []


TERMS = """
def epoch(model, criterion, loader, optimizer, annealing):
    total = 0.0
    for x, y in loader:
        factor = annealing(x)
        penalty = {penalty}
        loss = criterion(model(x), y) + factor * penalty
        loss.backward()
        optimizer.step()
        total += {term}
    return total
"""


@pytest.mark.parametrize(
    ("penalty", "term", "rows"),
    [
        ("model.penalty()", "penalty", [10]),
        ("model.penalty()", "penalty / 2", [10]),
        ("model.penalty()", "factor", []),
        ("model.penalty().item()", "penalty", []),
        ("0.5", "penalty", []),
    ],
)
def test_a_sum_of_a_term_of_the_loss_keeps_graphs(penalty: str, term: str, rows: list[int]) -> None:
    assert told_at(judge, TERMS.format(penalty=penalty, term=term)) == rows
