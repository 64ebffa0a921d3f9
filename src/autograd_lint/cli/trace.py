"""The command `trace`."""

import click

_FORMATS = ("text", "concise", "json", "sarif")


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--module", "-m", metavar="MODULE", help="Run a module, as `python -m` does.")
@click.option("--output-format", type=click.Choice(_FORMATS), default="text", show_default=True)
@click.option("--output-file", metavar="FILE", help="Write the report to FILE.")
@click.option(
    "--color", type=click.Choice(("auto", "always", "never")), default="auto", show_default=True
)
@click.option(
    "--backward-calls",
    type=click.IntRange(min=-1),
    metavar="N",
    help="Number of backward calls to observe in full (-1: all, 0: failures only).",
)
@click.option("--saved", is_flag=True, help="Show what the largest graph saved for backward.")
@click.option(
    "--timeline", metavar="FILE", help="Write a timeline of saved tensors to FILE (HTML)."
)
@click.option(
    "--record",
    metavar="FILE",
    help="Record the calls of functions in FILE (no values), for `check --facts`.",
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT [ARGS]...")
def trace(
    module: str | None,
    output_format: str,
    output_file: str | None,
    color: str,
    backward_calls: int | None,
    saved: bool,
    timeline: str | None,
    record: str | None,
    arguments: tuple[str, ...],
) -> int:
    """Run a program under the real engine's tracer; exits as the program does.

    The report goes to standard error, or to a file. Needs torch.
    """
    from autograd_lint.live import command
    from autograd_lint.live.attention import DEFAULT_CALLS

    target, rest = (module, arguments) if module else ("".join(arguments[:1]), arguments[1:])
    if not target:
        raise click.UsageError("name a script, or a module with -m")
    return command.run_trace(
        target,
        list(rest),
        as_module=module is not None,
        output_format=output_format,
        output_file=output_file,
        color=color,
        backward_calls=DEFAULT_CALLS if backward_calls is None else backward_calls,
        saved=saved,
        timeline=timeline,
        record=record,
    )
