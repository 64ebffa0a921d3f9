"""The command line: commands, their options, exit codes. Start-up imports only click."""

import os
import sys
from contextlib import suppress
from typing import NoReturn

import click

from autograd_lint.addresses import VERSION
from autograd_lint.errors import Interrupted, Trouble

# Each command, and the module that has it.
_COMMANDS = {
    "check": "check",
    "diagnose": "diagnose",
    "trace": "trace",
    "merge": "merge",
    "explain": "rules",
    "rules": "rules",
    "operator": "operator",
    "server": "server",
}


class _Commands(click.Group):
    """The commands; one is imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        from importlib import import_module

        module = import_module(f"autograd_lint.cli.{_COMMANDS[name]}")
        command: click.Command = getattr(module, name)
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="autograd-lint", message="%(prog)s %(version)s")
def app() -> None:
    """Finds errors and pitfalls of PyTorch's autograd without running the program.

    Exit codes: 0 nothing found, 1 findings, 2 wrong usage or a fault of the tool.
    """


def start() -> NoReturn:
    """The console script: `main`, and the end of the process with its exit code.

    Freeing what a run has made takes longer than many a run, so the process ends there and then.
    Only programs that were run in it may have left something to be done at its end.
    """
    code = main()
    if "autograd_lint.live" in sys.modules:
        sys.exit(code)
    for stream in (sys.stdout, sys.stderr):
        with suppress(BrokenPipeError):
            stream.flush()
    os._exit(code)


def _end_by_signal() -> NoReturn:
    """End as Python does after a Ctrl-C that nobody has caught, and that has been shown."""
    import atexit
    import threading

    # Code that runs after the exception (our report) makes Python forget how it is to end.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.excepthook = lambda *_: None
    raise KeyboardInterrupt


def main() -> int:
    """Run the command line on `sys.argv`; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        # Names of files and lines of source may hold what the terminal's encoding cannot say.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        code = app.main(prog_name="autograd-lint", standalone_mode=False)
        if not getattr(sys.stdout, "closed", sys.stdout is None):  # as a program may have left it
            sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return 2
    except Trouble as trouble:
        click.echo(f"autograd-lint: {trouble}", err=True)
        return 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("autograd-lint: interrupted", err=True)
        return 2
    except Interrupted:
        _end_by_signal()
    except BrokenPipeError:
        # Whoever read the output has gone (`| head`): leave quietly, with click's code for it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception:
        import traceback

        traceback.print_exc()
        click.echo("autograd-lint: this is a bug in autograd-lint; please report it", err=True)
        return 2
    return code if isinstance(code, int) else 0
