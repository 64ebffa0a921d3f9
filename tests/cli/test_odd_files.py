"""Files, names and settings that nobody expects: a clear line each, and the rest goes on."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.cli.test_check import check as check_here
from tests.cli.test_check import trouble_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes and links of POSIX")
PROGRAM = "import torch\nw = torch.ones(3, requires_grad=True)\nw.add_(1)\n"
COMMAND = [
    sys.executable,
    "-m",
    "autograd_lint",
    "check",
    "--no-cache",
    "--output-format",
    "concise",
]
FORMATS = ("text", "json", "sarif", "github", "gitlab", "junit", "rdjson", "html", "concise")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "ok.py").write_text(PROGRAM)
    return tmp_path


def check(here: Path, *given: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*COMMAND, *given], cwd=here, capture_output=True, text=True, timeout=60, errors="replace"
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert "fault of the tool" not in done.stderr
    return done


# Runs the command in each of the formats that it is given, and says where one ends.
IN_TURN = """
import sys
from autograd_lint.cli import main
for form in sys.argv[1].split(","):
    sys.argv[1:] = ["check", "--no-cache", "--output-format", form]
    code = main()
    for stream in sys.stdout, sys.stderr:
        print("=== end of", form, code, file=stream, flush=True)
"""


class Done(NamedTuple):
    code: int
    output: str
    errors: str


def in_every_format(here: Path) -> Iterator[tuple[str, Done]]:
    """What a check of a folder prints in each format, all of them in one process."""
    command = [sys.executable, "-c", IN_TURN, ",".join(FORMATS)]
    done = subprocess.run(
        command, cwd=here, capture_output=True, text=True, timeout=60, errors="replace"
    )
    output, errors = done.stdout, done.stderr
    assert "Traceback" not in errors, errors
    for form in FORMATS:
        first, _, output = output.partition(f"=== end of {form} ")
        second, _, errors = errors.partition(f"=== end of {form} ")
        code, _, output = output.partition("\n")
        errors = errors.partition("\n")[2]
        yield form, Done(int(code), first, second)


def loop(here: Path) -> None:
    (here / "loop.py").symlink_to("loop.py")


def loop_of_folders(here: Path) -> None:
    (here / "inner").symlink_to(".")
    (here / "circle").symlink_to("circle")


def pipe(here: Path) -> None:
    os.mkfifo(here / "pipe.py")


def pipe_of_patterns(here: Path) -> None:
    os.mkfifo(here / ".gitignore")


def pipe_of_settings(here: Path) -> None:
    os.mkfifo(here / "pyproject.toml")
    os.mkfifo(here / "autograd-lint.toml")


def patterns(here: Path) -> None:
    (here / ".gitignore").write_text("*a" * 60 + "\n[\n" + "**/a/" * 60 + "\n")
    (here / ("a" * 200 + "b.py")).write_text("")


def device(here: Path) -> None:
    (here / "device.py").symlink_to("/dev/zero")


def imports(here: Path) -> None:
    os.mkfifo(here / "pipe.py")
    (here / "device.py").symlink_to("/dev/zero")
    (here / "ok.py").write_text(PROGRAM + "import pipe, device\npipe.f(w)\ndevice.f(w)\n")


def folder_named_like_a_file(here: Path) -> None:
    (here / "folder.py").mkdir()


def nested(here: Path) -> None:
    deep = here
    for _ in range(150):
        deep = deep / "d"
    deep.mkdir(parents=True)


@pytest.mark.parametrize(
    "odd",
    [loop_of_folders, pipe, pipe_of_patterns, pipe_of_settings, patterns, device, imports,
     folder_named_like_a_file, nested],
)  # fmt: skip
def test_the_others_are_checked(here: Path, odd: Callable[[Path], None]) -> None:
    odd(here)
    done = check(here)
    assert done.returncode == 1, done.stderr
    assert "ok.py:3:1: AG101" in done.stdout


TOLD = [
    (loop, "loop.py: the link points to itself; fix or remove it", []),
    (loop, "loop.py: the link points to itself", ["loop.py", "ok.py"]),
    (pipe, "pipe.py: cannot be read (nobody writes to this pipe)", ["pipe.py", "ok.py"]),
    (device, "device.py: cannot be read (not a regular file)", ["device.py", "ok.py"]),
    (folder_named_like_a_file, "gone.py: no such file", ["gone.py", "ok.py"]),
]


@pytest.mark.parametrize(("odd", "line", "given"), TOLD)
def test_they_are_told(
    here: Path, odd: Callable[[Path], None], line: str, given: list[str]
) -> None:
    odd(here)
    done = check(here, *given)
    assert done.returncode == 2
    assert line in done.stderr
    assert "ok.py:3:1: AG101" in done.stdout


SETTINGS = {
    "tool = 5\n": "`tool` must be a table",
    "[tool]\nautograd-lint = 5\n": "`tool.autograd-lint` must be a table",
    "a = " + "[" * 5000 + "]" * 5000: "nested too deeply",
    '[tool.autograd-lint]\n"x\\n::error::y" = 1\n': "unknown key `x\\n::error::y`",
    '[tool.autograd-lint]\nbaseline = "/dev/zero"\n': "/dev/zero: is not a baseline",
    "[tool.autograd-lint]\nexclude = 5\n": "must be a list",
    "\x00": "cannot be read as TOML",
}


@pytest.mark.parametrize("text", SETTINGS)
def test_settings_of_the_wrong_shape_are_told(
    here: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.chdir(here)
    (here / "pyproject.toml").write_text(text)
    assert SETTINGS[text] in trouble_of(check_here("--no-cache"))


@pytest.mark.parametrize("data", [b"[" * 100_000, b"\xff", b"5", b"[]", b'{"findings": [5]}', b""])
def test_a_baseline_that_is_none_is_told(
    here: Path, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    monkeypatch.chdir(here)
    (here / "known.json").write_bytes(data)
    told = trouble_of(check_here("--no-cache", "--baseline", "known.json"))
    assert "known.json: is not a baseline" in told


def test_what_is_piped_is_read(here: Path) -> None:
    command = (
        f"(sleep 0.3; cat ok.py) | '{sys.executable}' -m autograd_lint check --no-cache /dev/stdin"
    )
    done = subprocess.run(["bash", "-c", command], cwd=here, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert "AG101" in done.stdout


def test_names_that_are_no_text_are_told_in_every_format(here: Path) -> None:
    try:
        Path(os.fsdecode(os.fsencode(here) + b"/x\xff.py")).write_text(PROGRAM)
    except OSError:
        pytest.skip("this file system has text alone for names")
    for form, done in in_every_format(here):
        assert done.code == 1, (form, done.errors)
        assert "is a leaf" in done.output, form


def test_a_name_cannot_give_commands_to_a_ci_system(here: Path) -> None:
    (here / "a\n::error::x.py").write_text(PROGRAM)
    (here / "b\n::error::x.py").write_text("import torch\nx = [")
    (here / "c\n::error::x.py").symlink_to("gone")
    for form, done in in_every_format(here):
        lines = [*done.output.splitlines(), *done.errors.splitlines()]
        assert not [line for line in lines if line.startswith("::error::")], form
        assert "dangling link" in done.errors, form


def test_escapes_do_not_reach_the_terminal(here: Path) -> None:
    (here / "\x1b[2Jx.py").write_text(PROGRAM)
    (here / "\x1b[2Jy.py").symlink_to("gone")
    done = check(here)
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may read all")
def test_a_folder_that_cannot_be_read_is_told(here: Path) -> None:
    (here / "locked").mkdir(mode=0)
    done = check(here)
    assert done.returncode == 2
    assert "locked: cannot be listed" in done.stderr
    assert "ok.py:3:1: AG101" in done.stdout


def test_a_file_that_has_gone_meanwhile_is_told(here: Path, tmp_path: Path) -> None:
    code = (
        "import os, sys\nfrom autograd_lint.project.discovery import Discovery\n"
        "found = Discovery.files\n"
        "def files(self, paths):\n"
        "    every = list(found(self, paths))\n"
        "    os.unlink('gone.py')\n"
        "    return iter(every)\n"
        "Discovery.files = files\n"
        "sys.argv = ['autograd-lint', 'check', '--no-cache', '--output-format', 'concise']\n"
        "from autograd_lint.cli import start\nstart()\n"
    )
    (here / "gone.py").write_text(PROGRAM)
    done = subprocess.run([sys.executable, "-c", code], cwd=here, capture_output=True, text=True)
    assert done.returncode == 2
    assert "gone.py: cannot be read (No such file or directory)" in done.stderr
    assert "ok.py:3:1: AG101" in done.stdout


def test_a_full_disk_is_told(here: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no full disk to try")
    done = check(here, "--output-file", "/dev/full")
    assert done.returncode == 2
    assert "/dev/full" in done.stderr
