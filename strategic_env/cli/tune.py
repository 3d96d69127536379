"""``strategic-env tune``: a search for hyper-parameters."""

from pathlib import Path
from typing import Annotated

import typer

from strategic_env.bench.arguments import parse_settings
from strategic_env.cli.output import folder_named, note, usage


def tune(
    algorithm: Annotated[str, typer.Argument(metavar="ALGO", help="`ppo`, `ppo_lstm` (recurrent), `sac` or `tqc`.")],
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="Its name; `strategic-env list` shows all.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="An option of the scenario, or its reward; may be repeated."),
    ] = None,
    ranges: Annotated[
        list[str] | None,
        typer.Option(
            "--range",
            metavar="NAME=LOW..HIGH",
            help="A hyper-parameter to search; may be repeated. Default: a few, around the shipped ones.",
        ),
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="How many trainings there are to be in DIR.")] = 20,
    timesteps: Annotated[int | None, typer.Option(min=1, help="Rounds of each training.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the search and of each training.")] = 0,
    hyperparameters: Annotated[
        Path | None, typer.Option(metavar="FILE", help="YAML of what stays as it is; the package's by default.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(parser=folder_named, metavar="DIR", help="Folder; tune-ALGO-SCENARIO by default.")
    ] = None,
) -> None:
    """Search for hyper-parameters with Optuna; `train --hyperparameters DIR/best.yml` trains with the best.

    An interrupted search goes on with the same command.
    """
    from strategic_env.cli.train import searched

    with usage():
        search = searched(
            algorithm, scenario, parse_settings(settings or []), ranges or [], timesteps, hyperparameters, out
        )
        best = search(trials=trials, seed=seed, progress=lambda trial, found: note(f"trial {trial}: {found:.2f}"))
    print(", ".join(f"{name}={value:.4g}" for name, value in best.items()))
