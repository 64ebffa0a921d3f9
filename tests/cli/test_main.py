"""The program as it is started: exit codes, start-up, what is imported."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fakes import write_tree


def started(*arguments: str, cwd: Path, code: str = "") -> subprocess.CompletedProcess[str]:
    """Start the program; `code` runs after it, in the same process."""
    program = f"import sys, autograd_lint.cli as cli\nexit = cli.main()\n{code}\nsys.exit(exit)"
    command = [sys.executable, "-W", "error", "-c", program, *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_wrong_usage_is_2(tmp_path: Path) -> None:
    done = started("check", "--nonsense", cwd=tmp_path)
    assert done.returncode == 2
    assert "No such option" in done.stderr


def test_trouble_is_one_line_and_2(tmp_path: Path) -> None:
    done = started("check", "--unsafe-fixes", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "autograd-lint: --unsafe-fixes works with --fix or --diff; add one of them\n"
    )


def test_a_finding_is_1(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": "import torch\nx = (\n"})
    assert started("check", cwd=tmp_path).returncode == 1


def test_help_is_0(tmp_path: Path) -> None:
    assert started("--help", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("heavy", ["libcst", "rich", "torch", "autograd_lint.analysis"])
def test_files_that_the_gate_rejects_cost_no_heavy_import(tmp_path: Path, heavy: str) -> None:
    write_tree(tmp_path, {"a.py": "import os\n"})
    done = started("check", cwd=tmp_path, code=f"print({heavy!r} in sys.modules)")
    assert done.stdout == "No findings.\nFalse\n"


@pytest.mark.parametrize("heavy", ["libcst", "torch"])
def test_a_file_without_findings_costs_no_exact_reading(tmp_path: Path, heavy: str) -> None:
    write_tree(tmp_path, {"a.py": "import torch\n\nx = torch.ones(3)\n"})
    done = started("check", cwd=tmp_path, code=f"print({heavy!r} in sys.modules)")
    assert done.stdout == "No findings.\nFalse\n"


def ended(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Start the console script, which ends the process by itself."""
    program = "import autograd_lint.cli as cli; cli.start()"
    command = [sys.executable, "-W", "error", "-c", program, *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_the_script_ends_at_once_with_all_that_was_told(tmp_path: Path) -> None:
    write_tree(tmp_path, {f"{n}.py": "import torch\nx = (\n" for n in range(300)})
    done = ended("check", "--output-format", "json", cwd=tmp_path)
    assert (done.returncode, len(json.loads(done.stdout))) == (1, 300)


def test_a_traced_program_does_what_it_left_for_the_end(tmp_path: Path) -> None:
    program = "import atexit\nimport torch\natexit.register(print, 'at the end')\n"
    write_tree(tmp_path, {"program.py": program})
    done = ended("trace", "program.py", cwd=tmp_path)
    assert done.returncode == 0
    assert "at the end" in done.stdout


def test_a_name_that_the_encoding_cannot_say_is_escaped(tmp_path: Path) -> None:
    write_tree(tmp_path, {"é.py": "import torch\nx = (\n"})
    program = "import sys, autograd_lint.cli as cli; sys.exit(cli.main())"
    command = [sys.executable, "-c", program, "check", "--output-format", "concise"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert done.stdout.startswith(b"\\xe9.py:2:5: AG901")


def test_a_reader_that_leaves_early_is_no_crash(tmp_path: Path) -> None:
    program = "import sys, autograd_lint.cli as cli; sys.exit(cli.main())"
    write_tree(tmp_path, {f"{n}.py": "import torch\nx = (\n" for n in range(300)})
    command = [sys.executable, "-c", program, "check"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""


def test_json_is_valid_whatever_the_file_is_called(tmp_path: Path) -> None:
    name = b"\xff.py".decode("utf-8", "surrogateescape")
    write_tree(tmp_path, {name: "import torch\nx = (\n"})
    done = started("check", "--output-format", "json", cwd=tmp_path)
    assert json.loads(done.stdout)[0]["code"] == "AG901"


def test_the_package_can_be_run(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "autograd_lint", "--version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()[0]) == (0, "autograd-lint")


def test_a_compiled_function_of_arrays_is_traced(tmp_path: Path) -> None:
    program = """
import numpy as np, torch
@torch.compile(backend="eager")
def total(array):
    return np.sum(array * 2)
print(total(np.ones(3)))
"""
    (tmp_path / "program.py").write_text(program)
    command = [sys.executable, "-m", "autograd_lint", "trace", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "6.0\n"), done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_are_told_how_to_complete(shell: str) -> None:
    environment = {**os.environ, "_AUTOGRAD_LINT_COMPLETE": f"{shell}_source"}
    program = "from autograd_lint.cli import start; start()"
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "_autograd_lint_completion" in ran.stdout


@pytest.mark.parametrize("form", ["json", "gitlab", "rdjson"])
def test_documents_for_programs_are_utf_8_whatever_the_terminal_speaks(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "cp1252")
    write_tree(tmp_path, {"größe.py": "import torch\nx = (\n"})
    command = [sys.executable, "-m", "autograd_lint", "check", "--output-format", form]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert "größe.py" in json.dumps(json.loads(done.stdout), ensure_ascii=False)
