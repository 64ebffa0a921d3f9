"""`with autograd_lint.trace() as report:`: reports of blocks, nested, in threads, after errors."""

import threading
from pathlib import Path

import pytest
import torch

import autograd_lint


def fails() -> None:
    h = torch.ones(3, requires_grad=True).sigmoid()
    h.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        h.sum().backward()


def test_each_block_tells_what_was_found_while_it_was_open() -> None:
    with autograd_lint.trace() as outer:
        with autograd_lint.trace() as first:
            pass
        with autograd_lint.trace() as second:
            fails()
    assert [one.code for one in second.findings] == ["AG103"]
    assert outer.findings == second.findings
    assert first.findings == ()


def test_blocks_in_several_threads_see_their_own_thread() -> None:
    reports = []
    opened = threading.Barrier(2, timeout=30)

    def run() -> None:
        with autograd_lint.trace() as report:
            opened.wait()
            fails()
            opened.wait()
        reports.append(report)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.code for report in reports for one in report.findings] == ["AG103"] * 2


def test_an_error_passes_and_is_explained() -> None:
    with (
        pytest.raises(RuntimeError, match="a leaf Variable that requires grad"),
        autograd_lint.trace() as report,
    ):
        w = torch.ones(3, requires_grad=True)
        w += 1
    assert [one.code for one in report.findings] == ["AG101"]
    assert "AG101" in str(report)


def test_torch_is_left_as_it_was_after_the_last_block() -> None:
    before = torch.autograd.graph._engine_run_backward, torch.Tensor.numpy, torch.optim.SGD.__init__
    with autograd_lint.trace(), autograd_lint.trace():
        assert torch.autograd.graph._engine_run_backward is not before[0]
    after = torch.autograd.graph._engine_run_backward, torch.Tensor.numpy, torch.optim.SGD.__init__
    assert after == before


def test_the_report_knows_what_graphs_kept_and_becomes_a_page(tmp_path: Path) -> None:
    with autograd_lint.trace() as report:
        torch.ones(1000, requires_grad=True).exp().sum().backward()
    (graph,) = report.saved
    assert [(one.operator, one.bytes) for one in graph.kept if not one.shared] == [("exp", 4000)]
    page = report.to_html(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page
    assert page.count("<html") == page.count("</html>") == 1
    assert "exp" in page


def test_what_shows_at_the_end_is_told_of_a_whole_run() -> None:
    def train() -> None:
        w = torch.nn.Parameter(torch.ones(2))
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=0.1)
        w.sum().backward()
        optimizer.step()

    with autograd_lint.trace() as part:
        train()
    with autograd_lint.trace(whole=True) as whole:
        train()
    assert part.findings == ()
    assert [one.name for one in whole.findings] == ["optimizer-without-gradients"]


def test_a_torch_that_lacks_what_is_read_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from autograd_lint.live import block

    monkeypatch.setattr(block, "missing", lambda: ["torch.something"])
    with pytest.raises(
        autograd_lint.Trouble, match=r"lacks torch\.something; install another version$"
    ):
        autograd_lint.trace()
