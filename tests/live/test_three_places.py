"""The tracer names where a tensor was saved, where it was modified, and where it was needed."""

import pytest

from autograd_lint.engine.faults import FaultKind
from autograd_lint.engine.pitfalls import MODE_OFF
from tests.live.programs import Run

# The rows are those of the line that saves, the line that writes, and the line that needs.
PROGRAMS = {
    "result of sigmoid": """
        import torch
        x = torch.randn(3, requires_grad=True)
        h = torch.sigmoid(x)
        h += 1
        h.sum().backward()
        """,
    "through a view": """
        import torch
        x = torch.randn(3, requires_grad=True)
        h = x.exp()
        h[0] = 0
        h.sum().backward()
        """,
    "through detach": """
        import torch
        x = torch.randn(3, requires_grad=True)
        h = x.exp()
        h.detach().mul_(2)
        h.sum().backward()
        """,
    "by out=": """
        import torch
        x, c = torch.randn(3, requires_grad=True), torch.ones(3)
        h = x * c
        torch.add(torch.ones(3), 1, out=c)
        h.sum().backward()
        """,
    "by foreach": """
        import torch
        x, c = torch.randn(3, requires_grad=True), torch.ones(3)
        h = x * c
        torch._foreach_add_([c], 1.0)
        h.sum().backward()
        """,
    "an index": """
        import torch
        x, i = torch.randn(3, requires_grad=True), torch.tensor([0, 1])
        h = x[i]
        i += 1
        h.sum().backward()
        """,
    "by set_": """
        import torch
        x, c = torch.randn(3, requires_grad=True), torch.ones(3)
        h = x * c
        c.set_(torch.zeros(3))
        h.sum().backward()
        """,
    "by detach_": """
        import torch
        x = (torch.randn(3, requires_grad=True) * 2)
        h = x * x
        x.detach_()
        h.sum().backward()
        """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_three_places_of_a_modified_saved_tensor(name: str, traced: Run) -> None:
    run = traced(PROGRAMS[name])
    assert run.fault.kind is FaultKind.SAVED_TENSOR_MODIFIED
    assert run.rows() == {"saved": 3, "modified": 4, "needed": 5}


def test_versions_before_and_after(traced: Run) -> None:
    fault = traced(PROGRAMS["result of sigmoid"]).fault
    assert fault.saved and fault.modified
    assert (fault.saved.version, fault.modified.version) == (0, 1)


def test_optimizer_step_is_named_by_its_class(traced: Run) -> None:
    run = traced(
        """
        import torch
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
        opt = torch.optim.Adam(net.parameters())
        loss = net(torch.ones(1, 2)).sum()
        loss.backward(retain_graph=True)
        opt.step()
        loss.backward()
        """
    )
    modified = run.fault.modified
    assert modified is not None
    assert (modified.operator, modified.by_optimizer) == ("Adam", True)
    assert run.rows() == {"saved": 4, "modified": 6, "needed": 7}


def test_the_write_after_the_save_is_blamed_not_the_one_before(traced: Run) -> None:
    run = traced(
        """
        import torch
        x, c = torch.randn(3, requires_grad=True), torch.ones(3)
        c += 1
        h = x * c
        c += 1
        h.sum().backward()
        """
    )
    assert run.rows() == {"saved": 4, "modified": 5, "needed": 6}


def test_second_backward_names_built_freed_and_needed(traced: Run) -> None:
    run = traced(
        """
        import torch
        x = torch.randn(3, requires_grad=True)
        h = x.exp()
        h.sum().backward()
        h.mean().backward()
        """
    )
    assert run.fault.kind is FaultKind.GRAPH_FREED
    assert run.rows() == {"built": 3, "freed": 4, "needed": 5}


def test_state_carried_over_is_told_from_a_second_backward(traced: Run) -> None:
    run = traced(
        """
        import torch
        w, state = torch.ones(1, requires_grad=True), torch.ones(1)
        for _ in range(2):
            state = (state * w).exp()
            state.sum().backward()
        """
    )
    assert run.fault.carried
    assert run.rows() == {"built": 4, "freed": 5, "needed": 5}


@pytest.mark.parametrize(
    "cut",
    [
        "loss = loss.detach()",
        "loss = torch.tensor(loss.item())",
        "loss = torch.tensor([1.0, loss.item()]).mean()",
        "loss = torch.zeros(()) + loss.item()",
        "loss = loss.argmax() * 1.0",
    ],
)
def test_root_without_grad_names_the_cut(cut: str, traced: Run) -> None:
    run = traced(
        f"""
        import torch
        loss = torch.randn(3, requires_grad=True).sum()
        {cut}
        loss = loss * 2
        loss.backward()
        """
    )
    assert run.fault.kind is FaultKind.NO_GRAD_ROOT
    assert run.rows()["built"] == 3


def test_no_grad_block_is_named_as_the_cut(traced: Run) -> None:
    run = traced(
        """
        import torch
        x = torch.randn(3, requires_grad=True)
        with torch.no_grad():
            loss = x.sum()
        loss.backward()
        """
    )
    assert (run.rows()["built"], run.fault.detail) == (4, MODE_OFF)


def test_leaf_error_stands_at_the_raising_line(traced: Run) -> None:
    run = traced(
        """
        import torch
        w = torch.ones(3, requires_grad=True)
        w += 1
        """
    )
    assert run.fault.kind is FaultKind.LEAF_MODIFIED
    assert run.fault.place is not None
    assert (run.fault.place.row, run.fault.tensor) == (3, "w")


def test_inference_tensor_names_where_it_was_made(traced: Run) -> None:
    run = traced(
        """
        import torch
        with torch.inference_mode():
            x = torch.ones(3) + 1
        x.add_(1)
        """
    )
    assert (run.fault.kind, run.rows()["built"]) == (FaultKind.INFERENCE_TENSOR, 2)
    assert run.noted() == [3]


def test_custom_function_names_the_return_of_its_backward(traced: Run) -> None:
    run = traced(
        """
        import torch
        class Scale(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, factor):
                ctx.factor = factor
                return x * factor
            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.factor
        Scale.apply(torch.ones(3, requires_grad=True), 2.0).sum().backward()
        """
    )
    assert run.fault.kind is FaultKind.CUSTOM_FUNCTION
    assert run.rows()["built"] == 9


def test_error_that_the_program_catches_is_told_too(traced: Run) -> None:
    run = traced(
        """
        import torch
        h = torch.randn(3, requires_grad=True).exp()
        h += 1
        try:
            h.sum().backward()
        except RuntimeError:
            pass
        """
    )
    assert run.error is None
    assert run.rows() == {"saved": 2, "modified": 3, "needed": 5}


def test_a_thread_of_the_program_is_traced(traced: Run) -> None:
    run = traced(
        """
        import threading, torch
        def work():
            h = torch.randn(3, requires_grad=True).exp()
            h += 1
            try:
                h.sum().backward()
            except RuntimeError:
                pass
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        """
    )
    assert run.rows() == {"saved": 3, "modified": 4, "needed": 6}


def test_without_observation_a_failure_still_has_its_operator_and_versions(tmp_path) -> None:
    from tests.live.programs import Traced

    run = Traced(PROGRAMS["result of sigmoid"], tmp_path, backward_calls=0)
    assert run.fault.saved is not None
    assert (run.fault.saved.operator, run.fault.saved.version) == ("sigmoid", 0)


def test_write_in_another_thread(traced: Run) -> None:
    run = traced(
        """
        import threading, torch
        h = torch.zeros(3, requires_grad=True).exp()
        def work():
            h.detach().add_(1)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        h.sum().backward()
        """
    )
    assert run.rows() == {"saved": 2, "modified": 4, "needed": 8}


def test_of_several_saved_tensors_the_modified_one_is_named(traced: Run) -> None:
    run = traced(
        """
        import torch
        class Scaled(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, w):
                ctx.save_for_backward(x, w)
                return x * w.sum()
            @staticmethod
            def backward(ctx, g):
                x, w = ctx.saved_tensors
                return g * w.sum(), (g * x).sum().expand(3)
        x, w = torch.rand(2, requires_grad=True), torch.rand(3, requires_grad=True)
        y = Scaled.apply(x, w)
        with torch.no_grad():
            w.add_(1)
        y.sum().backward()
        """
    )
    assert run.rows() == {"saved": 6, "modified": 14, "needed": 15}
