"""Running the user's program as plain Python would."""

import ast
import builtins
import importlib.machinery
import os
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from autograd_lint.errors import Interrupted
from autograd_lint.live.own_frames import leave_out


def run_script(script: str, arguments: list[str], failed: Callable[[BaseException], None]) -> int:
    """Run a file as `python script arguments...` does; the exit status it ends with.

    Raises Interrupted after a Ctrl-C: Python then ends by the signal, which is no status.
    """
    filename = os.path.abspath(script)  # as `__file__` of a script has been since Python 3.9
    source = Path(script).read_bytes()
    sys.argv = [script, *arguments]
    _import_first_from(Path(os.path.realpath(script)).parent)
    main = _main_module(filename)
    return _guarded(lambda: exec(compile(source, filename, "exec"), main.__dict__), failed)


def run_tree(tree: ast.Module, filename: str) -> None:
    """Run a syntax tree as the script `filename`; its exceptions pass."""
    sys.argv = [filename]
    sys.path[0:0] = [str(Path(filename).parent)]
    main = _main_module(filename)
    exec(compile(tree, filename, "exec"), main.__dict__)


def run_module(module: str, arguments: list[str], failed: Callable[[BaseException], None]) -> int:
    """Run a module as `python -m module arguments...` does, otherwise like `run_script`."""
    sys.argv = [module, *arguments]
    _import_first_from(Path.cwd())
    _main_module(None)
    # The function that `python -m` itself calls: it fills in `__spec__`, `__file__` and argv[0].
    run = runpy._run_module_as_main  # type: ignore[attr-defined]
    return _guarded(lambda: run(module), failed)


def _import_first_from(folder: Path) -> None:
    """Put a folder where that of this command stands, unless Python was told to leave it out."""
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0:1] = [str(folder)]


def _main_module(filename: str | None) -> ModuleType:
    main = ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    main.__annotations__ = {}
    if filename is not None:
        main.__file__ = filename
        main.__dict__["__cached__"] = None
        main.__loader__ = importlib.machinery.SourceFileLoader("__main__", filename)
    sys.modules["__main__"] = main
    return main


def _guarded(run: Callable[[], object], failed: Callable[[BaseException], None]) -> int:
    try:
        run()
    except SystemExit as stop:
        return _status(stop)
    except BaseException as error:
        leave_out(error)
        failed(error)
        sys.excepthook(type(error), error, error.__traceback__)
        if isinstance(error, KeyboardInterrupt):
            raise Interrupted from None
        return 1
    return 0


def _status(stop: SystemExit) -> int:
    if stop.code is None:
        return 0
    if isinstance(stop.code, int):
        return stop.code
    print(stop.code, file=sys.stderr)
    return 1
