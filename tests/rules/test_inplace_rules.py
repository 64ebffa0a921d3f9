"""What is told about in-place writes."""

from dataclasses import replace

from expecttest import assert_expected_inline

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created, Modified, Needed, Saved
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.evidence.probability import WHOLE_PROGRAM
from autograd_lint.findings import Certainty, Finding
from autograd_lint.project.source import Source
from autograd_lint.rules.registry import judge
from tests.rules.telling import mended, spot, told

NET = Source(
    "net.py",
    """\
class Net(nn.Module):
    def forward(self, x):
        h = torch.sigmoid(x)
        v = h[0]
        h += 1
        v.mul_(2)
        h[:, 0] = 0
        F.relu(h, inplace=True)
        self.mix(h)
        self.hs[0] += x
        return h

w = torch.zeros(3, requires_grad=True)
w[0] = 1
w.zero_()
loss.backward()
first, second = (x * 2).chunk(2)
first -= second + 1
torch.add(w, 1, out=h)
opt.step()
later.backward()
""",
)
BACKWARD = spot(NET, "loss.backward()")


def predicted(found: Finding) -> tuple[str, str | None, int | None]:
    """The error that a finding predicts, and where."""
    assert found.predicts is not None
    return found.predicts.error, found.predicts.filename, found.predicts.row


def saved_result(write: str, operator: str, tensor: str) -> Fault:
    """The result of `sigmoid` is written by the snippet `write`, and needed by a backward."""
    return Fault(
        FaultKind.SAVED_TENSOR_MODIFIED,
        BACKWARD,
        tensor="h",
        operator="sigmoid",
        saved=Saved(spot(NET, "torch.sigmoid(x)"), "sigmoid", "h", "result", 0),
        modified=Modified(spot(NET, write), operator, tensor, 1),
        needed=Needed(BACKWARD, "backward"),
    )


def refused(kind: FaultKind, write: str, operator: str, tensor: str, detail: str = "") -> Fault:
    """A write that is refused on the spot."""
    place = spot(NET, write)
    modified = Modified(place, operator, tensor, 1)
    return Fault(kind, place, tensor, operator, detail, modified=modified)


def finding(fault: Fault) -> Finding:
    found = judge(fault, NET)
    assert found is not None
    return found


def test_augmented_assignment_to_a_saved_result() -> None:
    assert_expected_inline(
        told(saved_result("h += 1", "add_", "h"), NET),
        """\
AG103 certain: `h` is modified in place after `sigmoid` saved it for backward
  5 [h] modified: modified in place here: version 1, saved at version 0
  3 [torch.sigmoid(x)] saved: `sigmoid` saves its result here
  16 [loss.backward()] needed: `backward()` needs it here
reason: `backward()` needs the values as they were when they were saved
help: write `h = h + 1`, which makes a new tensor
""",
    )


def test_method_on_a_view_of_what_was_saved() -> None:
    assert_expected_inline(
        told(saved_result("v.mul_(2)", "mul_", "v"), NET),
        """\
AG103 certain: writing to `v` changes `h` after `sigmoid` saved it for backward
  6 [v.mul_(2)] modified: modified in place here: version 1, saved at version 0
  3 [torch.sigmoid(x)] saved: `sigmoid` saves its result here
  16 [loss.backward()] needed: `backward()` needs it here
reason: `backward()` needs the values as they were when they were saved
help: write `v = v.mul(2)`, which makes a new tensor
""",
    )


def test_item_assignment_to_a_saved_result() -> None:
    assert_expected_inline(
        told(saved_result("h[:, 0] = 0", "fill_", "h"), NET),
        """\
AG103 certain: `h` is modified in place after `sigmoid` saved it for backward
  7 [h[:, 0]] modified: modified in place here: version 1, saved at version 0
  3 [torch.sigmoid(x)] saved: `sigmoid` saves its result here
  16 [loss.backward()] needed: `backward()` needs it here
reason: `backward()` needs the values as they were when they were saved
help: write into a copy (`h = h.clone()` before), or collect the parts in a list and join
      them with `torch.stack` or `torch.cat`
""",
    )


def test_augmented_item_assignment_may_be_to_a_list() -> None:
    fault = replace(saved_result("self.hs[0] += x", "add_", "self.hs[0]"), tensor="h")
    assert_expected_inline(
        told(fault, NET),
        """\
AG103 certain: writing to `self.hs[0]` changes `h` after `sigmoid` saved it for backward
  10 [self.hs[0]] modified: modified in place here: version 1, saved at version 0
  3 [torch.sigmoid(x)] saved: `sigmoid` saves its result here
  16 [loss.backward()] needed: `backward()` needs it here
reason: `backward()` needs the values as they were when they were saved
help: if `self.hs` is a list, write `self.hs[0] = self.hs[0] + x`; else write into a copy
      (`.clone()`), or collect the parts in a list and join them with `torch.stack` or
      `torch.cat`
""",
    )


def test_backward_that_stands_above_the_write() -> None:
    needed = spot(NET, "torch.sigmoid(x)")
    fault = replace(saved_result("h += 1", "add_", "h"), needed=Needed(needed, "backward"))
    assert "`backward()` needs it here, later on" in told(fault, NET)


def test_optimizer_step_at_the_end_of_a_loop() -> None:
    modified = Modified(spot(NET, "later.backward()"), "Adam", "w", 2, by_optimizer=True)
    fault = replace(saved_result("h += 1", "add_", "h"), modified=modified)
    assert "run the forward again after each `step()`" in told(fault, NET)


def test_where_a_view_is_made_is_not_told_twice() -> None:
    fault = refused(FaultKind.LEAF_VIEW_MODIFIED, "w[0] = 1", "fill_", "w")
    made = Created(spot(NET, "w[0]"), "getitem")
    found = finding(replace(fault, built=made))
    assert found.related == ()


def test_inplace_flag() -> None:
    write = "F.relu(h, inplace=True)"
    assert_expected_inline(
        told(saved_result(write, "relu", "h"), NET),
        """\
AG103 certain: `h` is modified in place after `sigmoid` saved it for backward
  8 [F.relu(h, inplace=True)] modified: modified in place here: version 1, saved at version
      0
  3 [torch.sigmoid(x)] saved: `sigmoid` saves its result here
  16 [loss.backward()] needed: `backward()` needs it here
reason: `backward()` needs the values as they were when they were saved
help: remove `inplace=True` and use the returned tensor
""",
    )


def test_a_call_that_writes_inside() -> None:
    assert_expected_inline(
        told(saved_result("self.mix(h)", "add_", "h"), NET),
        """\
AG103 certain: `h` is modified in place after `sigmoid` saved it for backward
  9 [self.mix(h)] modified: modified in place here: version 1, saved at version 0
  3 [torch.sigmoid(x)] saved: `sigmoid` saves its result here
  16 [loss.backward()] needed: `backward()` needs it here
reason: `backward()` needs the values as they were when they were saved
help: do not write in place inside of the call (no `inplace=True`, no method that ends in
      `_`), or write into a copy (`h = h.clone()` before)
""",
    )


def test_a_layer_that_writes_is_told_where_it_was_made() -> None:
    fault = saved_result("self.mix(h)", "relu_", "h")
    assert fault.modified is not None
    made = Created(spot(NET, "torch.sigmoid(x)"), "ReLU")
    found = finding(replace(fault, modified=replace(fault.modified, layer=made)))
    assert [one.message for one in found.related if one.role == "built"] == ["`ReLU` is made here"]


def test_a_module_that_nobody_trains() -> None:
    fault = saved_result("h += 1", "add_", "h")
    driven = replace(
        fault,
        place=None,
        needed=Needed(None, "backward"),
        assumptions=frozenset({Assumption(Kind.RESULT_TRAINED, "forward", weight=0)}),
    )
    assert_expected_inline(
        told(driven, NET),
        """\
AG103 likely: `h` is modified in place after `sigmoid` saved it for backward
  5 [h] modified: modified in place here: version 1, saved at version 0
  3 [torch.sigmoid(x)] saved: `sigmoid` saves its result here
reason: backward through the result of `forward` needs the values as they were when they
      were saved
help: write `h = h + 1`, which makes a new tensor
""",
    )
    assert predicted(finding(driven)) == ("saved-tensor-modified", None, None)


def labels_of_one_line(saver: str) -> str:
    """What is told of a line that writes to `h` and saved it before, by an operator."""
    fault = saved_result("h += 1", "add_", "h")
    assert fault.saved is not None and fault.modified is not None
    saved = replace(fault.saved, place=fault.modified.place, slot="input", operator=saver)
    return told(replace(fault, saved=saved), NET)


def test_saved_and_modified_by_one_operator_in_a_loop() -> None:
    assert "saved: `add` saves `h` here, in an earlier iteration" in labels_of_one_line("add")


def test_saved_and_modified_by_two_operators_of_one_call() -> None:
    assert "saved: `relu` saves `h` here, earlier in the same call" in labels_of_one_line("relu")


def test_optimizer_step_between_forward_and_backward() -> None:
    step, later = spot(NET, "opt.step()"), spot(NET, "later.backward()")
    fault = Fault(
        FaultKind.SAVED_TENSOR_MODIFIED,
        later,
        tensor="self.fc.weight",
        saved=Saved(spot(NET, "torch.sigmoid(x)"), "nn.Linear", "self.fc.weight", "input", 1),
        modified=Modified(step, "Adam", "self.fc.weight", 2, by_optimizer=True),
        needed=Needed(later, "backward"),
    )
    assert_expected_inline(
        told(fault, NET),
        """\
AG105 certain: `Adam.step()` changes `self.fc.weight` after `nn.Linear` saved it for a
      backward that is still to come
  20 [opt.step()] modified: changed in place here: version 2, saved at version 1
  3 [torch.sigmoid(x)] saved: `nn.Linear` saves `self.fc.weight` here
  21 [later.backward()] needed: `backward()` needs the old values here
reason: `backward()` needs the parameters as they were in the forward pass
help: call every backward that needs this graph before `step()`, or run the forward again
      after it (`detach()` what the other network should not learn from)
""",
    )


def test_leaf() -> None:
    fault = refused(FaultKind.LEAF_MODIFIED, "w.zero_()", "zero_", "w")
    assert_expected_inline(
        told(fault, NET),
        """\
AG101 certain: `w` is a leaf that requires grad, and is modified in place
  15 [w.zero_()] modified: modified in place by `zero_`
reason: autograd does not allow in-place writes to a leaf while it records gradients
help: if this sets or updates the value, do it under `with torch.no_grad():`; if it is part
      of the computation, write `w = torch.zeros_like(w)`, which makes a new tensor
""",
    )


def test_view_of_a_leaf() -> None:
    fault = refused(FaultKind.LEAF_VIEW_MODIFIED, "w[0] = 1", "fill_", "w")
    assert_expected_inline(
        told(fault, NET),
        """\
AG102 certain: `w[0]` is a view of a leaf that requires grad, and is modified in place
  14 [w[0]] modified: modified in place here
reason: a view shares the memory of its base: the write would change the leaf itself
help: if this sets or updates the value, do it under `with torch.no_grad():`; if it is part
      of the computation, write into a copy (`w = w.clone()` before), or collect the parts
      in a list and join them with `torch.stack` or `torch.cat`
""",
    )


def test_one_of_several_views() -> None:
    write = "first -= second + 1"
    fault = refused(FaultKind.VIEW_MODIFIED, write, "sub_", "first", "multi-output")
    chunk = Created(spot(NET, "(x * 2).chunk(2)"), "chunk")
    assert_expected_inline(
        told(replace(fault, built=chunk), NET),
        """\
AG104 certain: `first` is a view made by `chunk`, and must not be modified in place
  18 [first] modified: modified in place here
  17 [(x * 2).chunk(2)] built: the view is created here
reason: it is one of several views that one operator made, and autograd cannot follow a
      write to one of them; indexing (`x[:, :n]`) makes views that may be written
help: write `first = first - (second + 1)`, which makes a new tensor
""",
    )


def test_view_that_is_refused_at_its_next_use() -> None:
    write = "first -= second + 1"
    fault = refused(FaultKind.VIEW_MODIFIED, write, "sub_", "first", "no_grad")
    assert_expected_inline(
        told(replace(fault, place=spot(NET, "opt.step()")), NET),
        """\
AG104 certain: `first` is a view, and must not be modified in place
  18 [first] modified: modified in place here
  20 [opt.step()] needed: the error is raised here, where the view is used next
reason: a view that was made under `no_grad()` has no graph that could follow the write
help: write `first = first - (second + 1)`, which makes a new tensor
""",
    )


def test_resize() -> None:
    place = spot(NET, "w.zero_()")
    detail = "cannot resize variables that require grad"
    fault = Fault(FaultKind.OTHER, place, "w", "resize_", detail)
    assert_expected_inline(
        told(fault, NET),
        """\
AG107 certain: `resize_` cannot write to `w` here
  15 [w.zero_()] modified: not supported by autograd
reason: cannot resize variables that require grad
help: create a new tensor of the desired size and copy into it
""",
    )


def test_out_argument() -> None:
    detail = "functions with out=... arguments don't support automatic differentiation"
    fault = refused(FaultKind.OTHER, "torch.add(w, 1, out=h)", "add", "h", detail)
    assert_expected_inline(
        told(fault, NET),
        """\
AG107 certain: `add` cannot write to `h` here
  19 [torch.add(w, 1, out=h)] modified: not supported by autograd
reason: functions with out=... arguments don't support automatic differentiation
help: remove `out=` and use the returned tensor, or call it under `no_grad()`
""",
    )


def test_a_write_that_the_counter_does_not_see() -> None:
    fault = saved_result("v.mul_(2)", "mul_", "v")
    assert fault.modified is not None
    hidden = replace(fault, place=None, modified=replace(fault.modified, bumped=False))
    assert_expected_inline(
        told(hidden, NET),
        """\
AG106 certain: `h` is overwritten after `sigmoid` saved it for backward: the gradient is
      silently wrong
  6 [v.mul_(2)] modified: overwritten here, not seen by the version counter
  3 [torch.sigmoid(x)] saved: `sigmoid` saves its result here
  16 [loss.backward()] needed: `backward()` uses the new values here
reason: the version counter does not see this write, so backward raises no error and uses
      the new values
help: write after backward, or write to a `.clone()`
""",
    )
    assert finding(hidden).predicts is None


def test_detaching_in_place_is_noticed_by_backward() -> None:
    fault = saved_result("h += 1", "detach_", "h")
    assert fault.modified is not None and fault.saved is not None
    unseen = replace(fault.modified, bumped=False, version=0)
    found = finding(replace(fault, modified=unseen))
    assert found.message == "`h` is detached in place after `sigmoid` saved it for backward"
    assert found.label == "detached in place here"


def test_places_of_another_file_are_told_as_they_are() -> None:
    fault = saved_result("h += 1", "add_", "h")
    assert fault.modified is not None
    found = judge(fault, Source("other.py", "import torch\n"))
    assert found is not None
    assert found.place == fault.modified.place


def test_a_live_fault_may_know_no_place_but_that_of_the_call() -> None:
    fault = Fault(FaultKind.SAVED_TENSOR_MODIFIED, BACKWARD, operator="sigmoid")
    assert finding(fault).place == BACKWARD


def test_what_the_program_itself_raises_is_certain() -> None:
    fault = replace(saved_result("h += 1", "add_", "h"), signals=frozenset({WHOLE_PROGRAM}))
    assert finding(fault).certainty is Certainty.CERTAIN


def test_assumptions_make_it_likely_then_possible() -> None:
    fault = saved_result("h += 1", "add_", "h")
    one = replace(fault, assumptions=frozenset({Assumption(Kind.CALLED, "b", weight=0)}))
    two = replace(
        fault, assumptions=frozenset({Assumption(Kind.CALLED, "b"), Assumption(Kind.CALLED, "a")})
    )
    assert finding(one).certainty is Certainty.LIKELY
    assert finding(two).certainty is Certainty.POSSIBLE
    assert [one.text for one in finding(two).assumptions] == ["`a` is called", "`b` is called"]


def test_the_prediction_is_where_the_engine_raises() -> None:
    found = finding(saved_result("h += 1", "add_", "h"))
    assert predicted(found) == ("saved-tensor-modified", "net.py", BACKWARD.row)


def test_the_fix_writes_a_new_tensor() -> None:
    fix = finding(saved_result("h += 1", "add_", "h")).fix
    assert fix is not None
    assert fix.applicability == "unsafe"
    assert mended(NET, fix) == NET.text.replace("h += 1", "h = h + 1")
