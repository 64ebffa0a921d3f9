"""What Python prints of programs that raise: each runs in a child of its own."""

from __future__ import annotations

import json
import os
import runpy
import signal
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

LIMIT_SECONDS = 120


def last(text: str) -> str:
    """The exception of a traceback without its frames."""
    lines = text[text.rfind("Traceback (most recent") :].splitlines()[1:]
    return "\n".join(line for line in lines if line.strip() and not line.startswith("  "))


def traces(files: Sequence[Path], kept: Path | None) -> dict[str, list[str]]:
    """What torch prints when programs are run, plain and under anomaly mode, by their names."""
    if kept is not None and kept.exists():
        known: dict[str, list[str]] = json.loads(kept.read_text())
        return known
    found = {str(file): [printed_by(file, False), printed_by(file, True)] for file in files}
    if kept is not None:
        kept.write_text(json.dumps(found, indent=1))
    return found


def printed_by(file: Path, anomaly: bool) -> str:
    """What Python prints when a program is run, under anomaly mode or not."""
    import torch

    torch.set_num_threads(1)
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            _run(file, anomaly, output.fileno())
        os.waitpid(child, 0)
        output.seek(0)
        return output.read().decode(errors="replace")


def _run(file: Path, anomaly: bool, output: int) -> None:
    """Run a program in this process, which ends with it."""
    import torch

    try:
        signal.alarm(LIMIT_SECONDS)
        os.dup2(output, 2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            torch.autograd.set_detect_anomaly(anomaly)
            sys.path.insert(0, str(file.parent))
            try:
                runpy.run_path(str(file), run_name="__main__")
            except BaseException:
                traceback.print_exc()
            sys.stderr.flush()
    finally:
        os._exit(0)
