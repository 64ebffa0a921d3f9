"""Many files at once."""

import subprocess
import sys
from pathlib import Path

from tests import fakes
from tests.fakes import write_tree

from autograd_lint.checking.checked import Checked
from autograd_lint.checking.desk import Plan
from autograd_lint.checking.workers import check_files
from autograd_lint.configuration.settings import Settings
from autograd_lint.errors import Trouble


def test_troubles_of_discovery_pass_through() -> None:
    plan = Plan(Settings(), (), fakes.machinery())
    assert list(check_files([Trouble("gone")], plan, 1)) == [Checked("", trouble="gone")]


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    program = "import sys, autograd_lint.cli as cli; sys.exit(cli.main())"
    command = [sys.executable, "-c", program, "check", "/dev/stdin", "--quiet"]
    text = b"import torch\nx = (\n"
    done = subprocess.run(
        command, cwd=tmp_path, input=text, capture_output=True, timeout=60, check=False
    )
    assert b"--> /dev/stdin:2:5\n  | row 2: '(' was never closed" in done.stdout


def test_few_files_need_no_pool(tmp_path: Path) -> None:
    write_tree(tmp_path, dict.fromkeys(("a.py", "b.py"), "import torch; bad()"))
    files = [tmp_path / "a.py", tmp_path / "b.py"]
    plan = Plan(Settings(), (tmp_path,), fakes.machinery())  # its machinery cannot be pickled
    assert [len(checked.findings) for checked in check_files(files, plan, None)] == [1, 1]


def test_processes_change_nothing_in_the_output(tmp_path: Path) -> None:
    names = [f"{number}.py" for number in range(7)]
    write_tree(tmp_path, dict.fromkeys(names, "import torch\nx = (\n"))
    program = "import sys, autograd_lint.cli as cli; sys.exit(cli.main())"
    command = [sys.executable, "-c", program, "check", "gone.py", ".", "--jobs"]
    one, three = (
        subprocess.run([*command, jobs], cwd=tmp_path, capture_output=True, check=False)
        for jobs in ("1", "3")
    )
    assert (one.stdout, one.stderr, one.returncode) == (three.stdout, three.stderr, 2)
    assert one.stdout.count(b"AG901") == 7


def test_what_a_file_leaves_behind_is_collected(tmp_path: Path) -> None:
    cell = "class Cell:\n    pass\n"
    program = (
        "import gc, sys\n"
        "from pathlib import Path\n"
        "from autograd_lint.configuration.settings import Settings\n"
        "from autograd_lint.checking.desk import Plan\n"
        "from autograd_lint.checking.workers import check_files\n"
        "files = sorted(Path(sys.argv[1]).glob('*.py'))\n"
        "list(check_files(files, Plan(Settings(), ()), 1))\n"
        "print(gc.collect())\n"
    )
    text = f"import torch\n{cell}w = torch.ones(1, requires_grad=True)\nw.add_(1)\n"
    write_tree(tmp_path, {f"{number}.py": text for number in range(32)})
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) == 0
