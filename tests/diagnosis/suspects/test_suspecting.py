"""Statements that are suspected for their form, and how they compare."""

import pytest

from autograd_lint.diagnosis.fitting import Way
from autograd_lint.diagnosis.matching import Step
from autograd_lint.diagnosis.ranking import ranked, suspected
from autograd_lint.diagnosis.reading import read
from autograd_lint.diagnosis.suspects import suspects
from autograd_lint.project.source import Source

SAVED = "RuntimeError: one of the variables needed for gradient computation has been modified by an"
SAVED += " inplace operation"
FREED = "RuntimeError: Trying to backward through the graph a second time"
NUMPY = "RuntimeError: Can't call numpy() on Tensor that requires grad."
ROOT = "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"
VIEW = "RuntimeError: Output 0 of SplitBackward0 is a view and is being modified inplace."
MEMORY = "RuntimeError: CUDA out of memory. Tried to allocate 2.00 MiB"


def rows(error: str, body: str, way: Way | None = None) -> list[int]:
    """The rows of a function's suspected statements, the likeliest first; 1 is its first line."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    source = Source("a.py", f"def f(self, x, w):\n{lines}")
    evidence = read(error)
    assert evidence is not None
    found = ranked(suspected(suspects(source, evidence, way or Way())))
    return [one.finding.place.row - 1 for one in found.candidates]


@pytest.mark.parametrize(
    "harmless",
    [
        "count += 1",
        "stats['loss'] += x",
        "names = []\nnames += [x]",
        "table = np.zeros(3)\ntable[0] = 1",
        "text = 'a'\ntext += 'b'",
    ],
)
def test_a_write_of_something_else_is_not_before_one_of_a_tensor(harmless: str) -> None:
    count = len(harmless.splitlines())
    found = rows(SAVED, f"{harmless}\nh = model(x)\ny = h * w\nh += w")
    assert found[0] == count + 3


def test_what_was_read_before_it_is_written_comes_first() -> None:
    assert rows(SAVED, "a = torch.zeros(3)\nb = w.norm()\na += 1.5\nc = b * w\nb *= w")[0] == 5


def test_the_operator_of_the_message_decides_between_writes() -> None:
    error = f"{SAVED}: [torch.FloatTensor [3]], which is output 0 of TanhBackward0, is at version 1"
    error += "; expected version 0 instead."
    body = "a = lib.sigmoid(x)\na += w\nb = lib.tanh(x)\nb += w"
    assert rows(error, body)[0] == 4


def test_a_state_that_is_read_again_may_keep_the_graph() -> None:
    body = "self.name = 'a'\nself.h = cell(x, self.h)\nself.size = 3"
    assert rows(FREED, body)[0] == 2


def test_what_is_detached_is_not_handed_over_with_its_graph() -> None:
    assert rows(NUMPY, "a = x.detach().numpy()\nb = logits.cpu().numpy()")[0] == 2


def test_a_loss_made_of_numbers_has_no_graph() -> None:
    assert rows(ROOT, "print(x.item())\nloss = torch.tensor(losses).mean()")[0] == 2


def test_one_of_several_views_is_suspected_of_being_written() -> None:
    assert rows(VIEW, "a = torch.zeros(3)\na += w\nb, c = x.chunk(2)\nb += w")[0] == 4


def test_a_sum_of_losses_keeps_their_graphs() -> None:
    assert rows(MEMORY, "total += loss.item()\nfor y in x:\n    total += loss")[0] == 3


def test_an_error_of_the_line_itself_is_suspected_where_it_was_raised() -> None:
    error = (
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation"
    )
    way = Way(steps=(Step("a.py", 3, "f"),))
    assert rows(error, "w += 1.5\nx += 1.5\nw -= 1.5", way)[0] == 2


def test_docstrings_and_definitions_are_not_suspected() -> None:
    assert rows(NUMPY, '"""Uses np.array."""\n') == []


LEAF = "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation."
SLICE = "RuntimeError: Output 0 of SliceBackward0 is a view and is being modified inplace."


def test_an_argument_by_another_name_comes_before_an_attribute() -> None:
    assert rows(LEAF, "self.total += 1.5 * y\nmask = x.view(-1)\nmask[y == 0] = -1.0")[0] == 3


def test_a_part_written_where_it_is_taken_comes_before_other_parts() -> None:
    assert rows(SLICE, "a, b = y.chunk(2)\na.mul_(w)\nx[:, 0::2] *= w")[0] == 3


def test_a_mode_around_what_is_trained_comes_before_an_index() -> None:
    evidence = read(ROOT)
    assert evidence is not None
    text = "def forward(x):\n    a = x.argmax()\n    with torch.no_grad():\n        y = net(x)\n"
    found = ranked(suspected(suspects(Source("a.py", text), evidence, Way())))
    assert found.candidates[0].finding.place.row == 3


def test_a_list_by_the_name_of_the_option_is_no_out_argument() -> None:
    evidence = read("RuntimeError: add(): functions with out=... arguments don't support automatic")
    assert evidence is not None
    text = "def f(a, b):\n    out = []\n    torch.add(a, b, out=a)\n"
    found = ranked(suspected(suspects(Source("a.py", text), evidence, Way())))
    assert [one.finding.place.row for one in found.candidates] == [3]


def test_files_that_prepare_data_come_last() -> None:
    evidence = read(SAVED)
    assert evidence is not None
    text = "def f(x):\n    x *= 2.5\n"
    sources = [Source(name, text) for name in ("a/dataset.py", "a/model.py")]
    found = ranked(suspected(s for one in sources for s in suspects(one, evidence, Way())))
    assert found.candidates[0].finding.place.filename == "a/model.py"


def named(node: str, body: str, shape: str = "[3]") -> list[int]:
    """The rows that are suspected where the message names a node and a shape."""
    said = f"{SAVED}: [torch.FloatTensor {shape}], which is output 0 of {node}, is at version 1"
    return rows(f"{said}; expected version 0 instead.", body)


def test_what_only_went_into_sums_comes_after_what_was_kept() -> None:
    body = "a = f(x)\nb = f(x)\nc = a + w\nd = b * w\na += w\nb += w"
    assert named("ViewBackward0", body)[0] == 6


def test_what_is_indexed_by_more_dimensions_than_the_shape_has_comes_later() -> None:
    body = "a = f(x)\nb = f(x)\nc = a * b\na[:, 0, 0] = w\nb[0] = w"
    assert named("ViewBackward0", body)[0] == 5


def test_an_entry_of_a_mapping_is_no_write() -> None:
    assert rows(
        SAVED, "y = f(x)\nz = y * x\nstate[name + '_a'] = y\nstate_dict[i] = y\ny += w"
    ) == [5]


def test_a_temporary_that_nothing_keeps_comes_after_a_result_that_is_kept() -> None:
    assert rows(SAVED, "a = x.mean().add(1).sqrt_()\nb = x.tanh().add_(w)")[0] == 2


def test_a_module_that_is_made_in_place_is_no_write_of_its_arguments() -> None:
    body = "width = x * w\nself.norm = norm_layer(width, inplace=True)\ny = w.exp()\ny += 1.5"
    assert rows(SAVED, body)[0] == 4


def test_initial_values_are_set_where_nothing_is_recorded() -> None:
    assert rows(LEAF, "nn.init.zeros_(self.weight)\nself.weight += x")[0] == 2


def test_a_counter_keeps_no_graph() -> None:
    assert rows(FREED, "self.step = self.step + f(x)\nself.h = cell(self.h, x)")[0] == 2


def test_a_block_without_recording_around_what_is_not_trained_comes_last() -> None:
    evidence = read(ROOT)
    assert evidence is not None
    text = (
        "def compute_loss(x):\n    with torch.no_grad():\n        y = teacher(x)\n"
        "    with torch.no_grad():\n        return net(x)\n"
    )
    found = ranked(suspected(suspects(Source("a.py", text), evidence, Way())))
    assert found.candidates[0].finding.place.row == 4


def test_a_method_that_is_to_detach_and_does_nothing_keeps_the_graph() -> None:
    assert rows(FREED, "self.size = f(x)\ndef detach(self):\n    pass")[0] == 2


LEFT_OUT = """class Cell(nn.Module):
    def forward(self, x):
        self.spikes, self.charge = step(x, self.spikes, self.charge)
        return self.spikes

    def detach_state(self):
        self.charge.detach_()
"""


def test_a_state_that_a_detaching_method_leaves_out_keeps_the_graph() -> None:
    assert rows(FREED, LEFT_OUT)[0] == 7


def test_a_detaching_method_that_leaves_nothing_out_is_not_suspected() -> None:
    assert rows(FREED, LEFT_OUT + "        self.spikes.detach_()\n")[0] == 3


@pytest.mark.parametrize("plain", ["self.h = self.h.to(x.device)", "self.model = wrap(self.model)"])
def test_what_is_only_converted_or_a_model_comes_after_a_state(plain: str) -> None:
    assert rows(FREED, f"{plain}\nself.h_n = torch.cell(x, self.h_n)")[0] == 2


def test_what_read_a_name_before_it_was_bound_anew_saved_another_tensor() -> None:
    body = (
        "a = f(x)\nb = a * w\na = torch.add(x, w)\na += w\nc = torch.add(x, w)\nd = c * w\nc += w"
    )
    assert rows(SAVED, body)[0] == 7


def test_an_element_that_is_replaced_by_what_a_call_makes_of_it_is_one_of_a_list() -> None:
    assert rows(SAVED, "y = x[0] * w\nx[i] = branch(x[i])\nw[i] = w[i] * y")[0] == 3


def test_an_argument_may_have_been_made_by_the_node_of_the_message() -> None:
    body = "y = torch.add(x, 1)\ny *= x\nz = x.detach()\nz.clamp_(0)"
    assert named("LogSoftmaxBackward0", body)[0] == 4


def test_a_gradient_of_what_requires_none_is_an_error_even_where_unused_ones_are_allowed() -> None:
    error = "RuntimeError: One of the differentiated Tensors does not require grad"
    body = "a = copy.deepcopy(x)\nb = torch.autograd.grad(y, w, allow_unused=True)"
    assert rows(error, body)[0] == 2


def test_numbers_for_plots_are_made_where_things_are_shown() -> None:
    evidence = read(NUMPY)
    assert evidence is not None
    source = Source("a/visualizer.py", "def f(x):\n    return x.numpy()\n")
    assert [
        one.what for one in next(suspects(source, evidence, Way())).pieces if one.ratio < 1
    ] == []


def test_an_operand_that_was_kept_has_the_node_of_what_wrote_it_last() -> None:
    body = "a = x / w\nb = a.norm()\na += w\nc = x * w\nd = c.norm()\nc /= w"
    assert named("DivBackward0", body)[0] == 6
    assert named("AddBackward0", body)[0] == 3


def test_a_part_that_was_written_makes_the_whole_a_result_of_copies() -> None:
    body = "a = x * w\nb = a.norm()\na /= w\nc = x * w\nd = c.norm()\nc[0] = 0.5"
    assert named("torch::autograd::CopySlices", body)[0] == 6


def test_what_is_made_where_nothing_is_recorded_has_no_node() -> None:
    body = "with torch.no_grad():\n    a = lib.exp(x)\n    a /= w\nb = lib.exp(x)\nb /= w"
    assert named("ExpBackward0", body)[0] == 5


def test_a_sum_that_is_written_where_it_is_made_was_kept_by_nothing() -> None:
    assert rows(SAVED, "a = (x - w).clamp_(0)\nb = w.norm()\nc = b * w\nb *= w")[0] == 4


@pytest.mark.parametrize("harmless", ["w[0] = 1", "idx += 1", "w[0] = x + 'a'", "w += x.dim()"])
def test_what_counts_or_is_a_text_comes_after_a_tensor(harmless: str) -> None:
    assert rows(SAVED, f"{harmless}\nw *= x")[0] == 2


def test_a_parameter_that_requires_no_grad_is_no_leaf_that_refuses_writes() -> None:
    error = (
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation."
    )
    body = "self.a = nn.Parameter(x, requires_grad=False)\nself.b = nn.Parameter(x)\n"
    assert rows(error, f"{body}self.a.add_(1.5)\nself.b.add_(1.5)") == [4, 3]


def test_numpy_makes_no_array_of_a_size_or_a_title() -> None:
    body = "plt.figure(figsize=(w, 3))\nplt.title(name)\nnp.random.seed(w)\nplt.plot(w)"
    assert rows(NUMPY, body) == [4]


def test_lists_that_are_begun_anew_keep_no_graph() -> None:
    body = "self.h, self.c = [], []\nself.h = cell(x, self.h)\nreturn self.h, self.c"
    assert rows(FREED, body)[0] == 2


def test_whole_numbers_are_put_into_a_tensor_of_whole_numbers() -> None:
    error = f"{SAVED}: [torch.LongTensor [3]] is at version 2; expected version 1 instead."
    assert rows(error, "labels[x] = 0\nw /= x")[0] == 1
