"""The command `merge`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILES...")
@click.option("--output-file", "-o", metavar="FILE", help="Write to FILE instead of the output.")
def merge(files: tuple[str, ...], output_file: str | None) -> int:
    """Join what several runs wrote: findings as JSON or SARIF, baselines, or recorded facts.

    What two of them tell is told once. For the parts that `check --shard` makes.
    """
    from autograd_lint import disk
    from autograd_lint.cli.output import hand_over
    from autograd_lint.errors import Trouble
    from autograd_lint.report.joining import joined

    texts = []
    for name in files:
        try:
            texts.append((name, disk.read_text(name)))
        except OSError as error:
            raise Trouble(f"merge: {name}: cannot be read ({error.strerror})") from None
        except UnicodeDecodeError:
            raise Trouble(f"merge: {name}: this is not UTF-8") from None
    text = joined(texts)
    if output_file is None:
        hand_over(text)
        return 0
    try:
        Path(output_file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise Trouble(
            f"--output-file {output_file}: cannot be written ({error.strerror})"
        ) from None
    return 0
