"""Printed errors in the forms in which people have them, and what is read from them."""

import pytest

from autograd_lint.diagnosis.evidence import Evidence, Frame, Named
from autograd_lint.diagnosis.reading import read

MESSAGE = (
    "RuntimeError: one of the variables needed for gradient computation has been modified by an "
    "inplace operation: [torch.FloatTensor [64, 1]], which is output 0 of SigmoidBackward0, is at "
    "version 3; expected version 2 instead. Hint: enable anomaly detection to find the operation"
)
FRAMES = """\
Traceback (most recent call last):
  File "/home/u/train.py", line 12, in <module>
    main()
  File "/home/u/train.py", line 9, in main
    loss.backward()
    ~~~~~~~~~~~~~^^
  File "/opt/lib/python3.11/site-packages/torch/_tensor.py", line 522, in backward
    torch.autograd.backward(
"""
PLAIN = FRAMES + MESSAGE
NAMED = Named("Sigmoid", 0, "float", (64, 1), 3, 2)


def own(evidence: Evidence | None) -> list[tuple[str, int | None, str]]:
    """The rows and code of the program's own frames."""
    assert evidence is not None
    frames = [one for one in evidence.frames if "site-packages" not in one.filename]
    return [(one.filename.rpartition("/")[2], one.row, one.text) for one in frames]


def test_a_traceback_is_read_whole() -> None:
    evidence = read(PLAIN)
    assert evidence is not None
    assert evidence.topic.name == "saved-tensor-modified"
    assert evidence.named == NAMED
    assert evidence.named.writes == 1
    assert own(evidence) == [("train.py", 12, "main()"), ("train.py", 9, "loss.backward()")]


@pytest.mark.parametrize(
    "text",
    [
        MESSAGE,
        MESSAGE.removeprefix("RuntimeError: "),
        MESSAGE.replace("SigmoidBackward0", "SigmoidBackward"),
        MESSAGE.replace("SigmoidBackward0", "Sigmoid"),
        MESSAGE.replace(" has been modified by an ", " has been modified\nby an "),
        MESSAGE.replace("torch.FloatTensor", "torch.cuda.FloatTensor"),
        MESSAGE.partition(" Hint")[0],
        "it says `" + MESSAGE + "` and stops",
    ],
)
def test_the_last_line_alone_is_enough(text: str) -> None:
    evidence = read(text)
    assert evidence is not None
    assert evidence.named == NAMED


def test_anomaly_mode_shows_the_forward_call() -> None:
    forward = (
        "/opt/site-packages/torch/autograd/graph.py:823: UserWarning: Error detected in "
        "SigmoidBackward0. Traceback of forward call that caused the error:\n"
        '  File "/home/u/train.py", line 7, in main\n    h = torch.sigmoid(x)\n'
        " (Triggered internally at /pytorch/torch/csrc/autograd/python_anomaly_mode.cpp:122.)\n"
        "  return Variable._execution_engine.run_backward(\n"
    )
    evidence = read(forward + PLAIN)
    assert evidence is not None
    assert evidence.failed == "Sigmoid"
    assert evidence.forward == (Frame("/home/u/train.py", 7, "main", "h = torch.sigmoid(x)"),)
    assert len(own(evidence)) == 2


def test_of_chained_exceptions_the_one_of_autograd_is_read() -> None:
    outer = (
        "\n\nDuring handling of the above exception, another exception occurred:\n\n"
        'Traceback (most recent call last):\n  File "/home/u/run.py", line 3, in <module>\n'
        '    raise SystemError("training failed")\nSystemError: training failed\n'
    )
    evidence = read(PLAIN + outer)
    assert own(evidence)[-1] == ("train.py", 9, "loss.backward()")


def _prefixed(prefix: str) -> str:
    return "\n".join(prefix + line for line in PLAIN.splitlines())


@pytest.mark.parametrize(
    "prefix",
    [
        "[rank0]: ",
        "[default1]:",
        "0: ",
        "[1,0]<stderr>:",
        "(RayTrainWorker pid=2716, ip=10.0.0.2) ",
        "2026-01-05 10:11:12,123 - ERROR - ",
        "2026-01-05T10:11:12.123456Z ",
        "[2026-01-05 10:11:12,123][trainer][ERROR] - ",
        "> ",
        "    ",
        "\x1b[31m",
    ],
)
def test_prefixes_of_launchers_and_loggers_are_taken_off(prefix: str) -> None:
    evidence = read(_prefixed(prefix))
    assert own(evidence) == own(read(PLAIN))
    assert evidence is not None and evidence.named == NAMED


def test_lines_of_several_processes_are_told_apart() -> None:
    lines = PLAIN.splitlines()
    mixed = [f"[rank{rank}]: {line}" for line in lines for rank in (0, 1)]
    assert own(read("\n".join(mixed))) == own(read(PLAIN))


def test_a_progress_bar_before_the_traceback_does_not_hide_it() -> None:
    assert own(read("  3%|▎         | 3/100 [00:01<00:40,  2.4it/s]" + PLAIN)) == own(read(PLAIN))


@pytest.mark.parametrize(
    "text",
    [
        "---------------------------------------------------------------------------\n"
        "RuntimeError                              Traceback (most recent call last)\n"
        "Cell In[3], line 4\n      2 h = torch.sigmoid(x)\n      3 h += 1\n"
        "----> 4 loss.backward()\n",
        "RuntimeError                              Traceback (most recent call last)\n"
        "<ipython-input-3-0a1b2c> in <module>()\n      3 h += 1\n----> 4 loss.backward()\n",
        "RuntimeError                              Traceback (most recent call last)\n"
        "Input In [3], in <cell line: 4>()\n      3 h += 1\n----> 4 loss.backward()\n",
    ],
)
def test_notebooks_show_cells(text: str) -> None:
    torch = (
        "\nFile /opt/site-packages/torch/_tensor.py:522, in Tensor.backward(self)\n"
        "    520     return\n--> 522 torch.autograd.backward(\n"
    )
    evidence = read(text + torch + "\n" + MESSAGE)
    assert evidence is not None
    first = evidence.frames[0]
    assert (first.row, first.text) == (4, "loss.backward()")
    assert evidence.frames[-1].row == 522


def test_files_in_ipython_have_rows() -> None:
    text = (
        "File ~/proj/train.py:12, in fit(model)\n     11 x\n---> 12 loss.backward()\n\n" + MESSAGE
    )
    evidence = read(text)
    assert own(evidence) == [("train.py", 12, "loss.backward()")]


def test_pytest_shows_the_line_before_the_place() -> None:
    text = (
        "    def test_step():\n>       loss.backward()\n\ntests/test_step.py:9: \n"
        "_ _ _ _ _ _ _ _\n>       torch.autograd.backward(\n\n"
        "/opt/site-packages/torch/_tensor.py:522: RuntimeError\n"
        f"E       {MESSAGE}\n\n/opt/site-packages/torch/_tensor.py:522: RuntimeError\n"
    )
    assert own(read(text))[0] == ("test_step.py", 9, "loss.backward()")


def test_boxes_of_rich_are_read() -> None:
    text = (
        "╭──────── Traceback (most recent call last) ────────╮\n"
        "│ /home/u/train.py:9 in main                        │\n"
        "│                                                   │\n"
        "│    8     h += 1                                   │\n"
        "│ ❱  9     loss.backward()                          │\n"
        "╰───────────────────────────────────────────────────╯\n" + MESSAGE
    )
    assert own(read(text)) == [("train.py", 9, "loss.backward()")]


@pytest.mark.parametrize("text", ["", "KeyError: 'x'", "all good", PLAIN.replace("one", "1")[:90]])
def test_what_does_not_speak_of_autograd_is_nothing(text: str) -> None:
    assert read(text) is None


def test_an_error_in_a_backward_of_the_program_is_one_of_its_function() -> None:
    text = (
        'Traceback (most recent call last):\n  File "/home/u/f.py", line 20, in <module>\n'
        "    loss.backward()\n"
        '  File "/opt/site-packages/torch/autograd/function.py", line 311, in apply\n'
        "    return user_fn(self, *args)\n"
        '  File "/home/u/f.py", line 9, in backward\n    x, y = ctx.saved_tensors\n'
        "ValueError: not enough values to unpack (expected 2, got 1)\n"
    )
    evidence = read(text)
    assert evidence is not None
    assert evidence.topic.name == "custom-function"


WORKER = """\
Traceback (most recent call last):
  File "/home/u/train.py", line 10, in <module>
    for batch in loader:
  File "/opt/lib/python3.11/site-packages/torch/_utils.py", line 794, in reraise
    raise exception
RuntimeError: Caught RuntimeError in DataLoader worker process 0.
Original Traceback (most recent call last):
  File "/opt/lib/python3.11/site-packages/torch/utils/data/_utils/collate.py", line 275, in collate
    return torch.stack(batch, 0, out=out)
RuntimeError: stack(): functions with out=... arguments don't support automatic differentiation
"""


def test_a_worker_of_a_loader_is_led_to_by_the_loop_that_waits_for_it() -> None:
    assert own(read(WORKER)) == [("train.py", 10, "for batch in loader:")]


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("RuntimeError: one of the v", "saved-tensor-modified"),
        ("modified by an inplace operation: [torch.FloatTensor [3]]", "saved-tensor-modified"),
        ("need to backward through the graph a second time or if you need to", "graph-freed"),
    ],
)
def test_a_piece_of_a_message_is_enough(text: str, topic: str) -> None:
    evidence = read(text)
    assert evidence is not None
    assert evidence.topic.name == topic


def test_the_piece_that_names_the_versions_is_read() -> None:
    evidence = read(
        "which is output 0 of ReluBackward0, is at version 2; expected version 1 instead"
    )
    assert evidence is not None
    assert evidence.named == Named("Relu", 0, None, None, 2, 1)


@pytest.mark.parametrize("text", ["RuntimeError: o", "ValueError: is not allowed."])
def test_too_little_of_a_message_is_not_guessed(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize("around", ["`RuntimeError: {}`", "he says: RuntimeError: {}"])
def test_a_message_in_a_sentence_begins_where_it_begins(around: str) -> None:
    evidence = read(around.format("Trying to backward through the graph a second time"))
    assert evidence is not None
    assert evidence.message.startswith("Trying to backward")


@pytest.mark.parametrize(
    ("function", "known"), [("_engine_run_backward", False), ("_calculate_shape", True)]
)
def test_what_the_engine_runs_into_is_no_error_of_autograd(function: str, known: bool) -> None:
    frame = f'  File "/opt/site-packages/torch/autograd/graph.py", line 9, in {function}\n    f()\n'
    text = f"{FRAMES}{frame}RuntimeError: device-side assert triggered"
    assert (read(text) is not None) is known


def test_a_warning_has_a_place() -> None:
    warning = (
        "/home/u/fit.py:15: UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor "
        "is being accessed. Its .grad attribute won't be populated.\n  print(y.grad)\n"
    )
    evidence = read(warning)
    assert evidence is not None
    assert evidence.topic.name == "grad-of-non-leaf"
    assert own(evidence) == [("fit.py", 15, "print(y.grad)")]


def test_an_exception_counts_for_more_than_a_warning() -> None:
    warning = "/x/a.py:3: UserWarning: None of the inputs have requires_grad=True.\n  f(x)\n"
    evidence = read(warning + PLAIN)
    assert evidence is not None
    assert evidence.topic.name == "saved-tensor-modified"


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-01 10:00:00 " + "-" * 100_000,
        "2026-01-01 10:00:00" + " " * 100_000 + "x",
        "RuntimeError: " + "cannot assign " * 20_000,
        "│" + " " * 100_000 + "x│",
        'File "' * 50_000,
        "> " * 100_000,
        '  File "x.py", line 1, in f\n    y\n' * 10_000,
    ],
)
def test_texts_made_to_be_slow_are_read_all_the_same(text: str) -> None:
    assert read(text) is None


def test_a_traceback_that_a_logger_wrote_on_one_line_is_unfolded() -> None:
    line = '{"level": "error", "exc": "' + PLAIN.replace('"', '\\"').replace("\n", "\\n") + '"}'
    assert own(read(line)) == own(read(PLAIN))


def test_a_name_at_which_the_text_was_cut_off_is_not_taken_for_whole() -> None:
    cut = MESSAGE[: MESSAGE.index("Sigmoid")]
    for begun, node in (("S", None), ("Sigm", "Sigmoid"), ("LogS", None), ("SubB", "Sub")):
        evidence = read(f"{cut}{begun}")
        assert evidence is not None
        assert (evidence.named.node, evidence.named.shape) == (node, (64, 1))


def test_types_of_old_releases_are_read() -> None:
    evidence = read(MESSAGE.replace("torch.FloatTensor", "CPUBoolType"))
    assert evidence is not None
    assert evidence.named.dtype == "bool"
