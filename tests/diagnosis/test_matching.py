"""Frames of other machines, and the rows of files at hand that they stand for."""

from pathlib import Path

import pytest

from autograd_lint.diagnosis.evidence import Frame
from autograd_lint.diagnosis.matching import Files, is_own

TEXTS = {
    "/p/a/train.py": ["import torch", "", "def fit():", "    loss.backward()", "    step()"],
    "/p/b/train.py": ["import torch", "x.sum().backward()"],
    "/p/n.ipynb:cell 2": ["h += 1", "loss.backward()"],
}


def steps(*frames: Frame) -> list[tuple[str, int]]:
    """The files and rows of frames."""
    files = [Path("/p/a/train.py"), Path("/p/b/train.py"), Path("/p/n.ipynb")]
    found = Files(files, lambda name: TEXTS.get(name, []))
    cells = {"/p/n.ipynb": ["/p/n.ipynb:cell 2"]}
    return [(one.filename, one.row) for one in found.steps(frames, lambda name: cells[name])]


def test_the_tail_of_a_path_tells_files_apart() -> None:
    frame = Frame("C:\\Users\\me\\proj\\a\\train.py", 4, "fit", "loss.backward()")
    assert steps(frame) == [("/p/a/train.py", 4)]


def test_the_code_tells_files_apart_where_paths_do_not() -> None:
    assert steps(Frame("train.py", 2, "", "x.sum().backward()")) == [("/p/b/train.py", 2)]


def test_a_file_that_has_changed_since_is_matched_by_its_code() -> None:
    assert steps(Frame("/x/a/train.py", 9, "fit", "loss.backward()")) == [("/p/a/train.py", 4)]


def test_code_that_is_nowhere_matches_nothing() -> None:
    assert steps(Frame("/x/a/train.py", 4, "fit", "loss.mean().backward()")) == []


@pytest.mark.parametrize(
    "filename",
    [
        "/usr/lib/python3.12/threading.py",
        "C:\\Programs\\Python\\Python312\\Lib\\threading.py",
        "/home/me/autograd-lint/src/autograd_lint/live/tracing.py",
    ],
)
def test_python_and_the_tracer_are_not_the_program(filename: str) -> None:
    assert not is_own(Frame(filename, 4, "fit", "loss.backward()"))


def test_frames_of_installed_packages_are_left_out() -> None:
    assert steps(Frame("/v/lib/python3.11/site-packages/x/train.py", 4, "fit")) == []


def test_a_cell_is_known_by_its_code() -> None:
    frame = Frame("Cell In[17]", 2, "", "loss.backward()")
    assert steps(frame) == [("/p/n.ipynb:cell 2", 2)]
