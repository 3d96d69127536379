"""The games there are, and the names of their scenarios, registered with Gymnasium without importing what they need."""

import gymnasium

from strategic_env.games.centres.description import GAME as CENTRES
from strategic_env.games.multiclass.description import GAME as MULTICLASS
from strategic_env.games.search.description import GAME as SEARCH
from strategic_env.games.shared.game import Game
from strategic_env.games.strategic.description import GAME as STRATEGIC

# Everything else asks this list.
GAMES = [STRATEGIC, MULTICLASS, CENTRES, SEARCH]
NAMESPACE = "strategic_env"
VECTOR = "Vector"


def scenario_names() -> dict[str, str]:
    """Return the name of every scenario, and what it is in one line."""
    return {name: line for game in GAMES for name, line in game.scenarios.items()}


def game_of(scenario: str) -> Game:
    """Return the game of a named scenario."""
    return next(game for game in GAMES if scenario in game.scenarios)


def environment_id(scenario: str) -> str:
    """Return the Gymnasium id of a scenario."""
    return f"{NAMESPACE}/{scenario}-v0"


def register_all() -> None:
    """Register every scenario once."""
    for name in scenario_names():
        if environment_id(name) not in gymnasium.registry:
            entry_point = f"strategic_env.games.scenarios:{name}"
            gymnasium.register(
                environment_id(name),
                entry_point,
                vector_entry_point=entry_point + VECTOR,
                # The environments check actions and missing resets themselves; Gymnasium's two wrappers that do so
                # again would take a sixth of a step. `gymnasium.make(..., disable_env_checker=False)` adds its checker.
                order_enforce=False,
                disable_env_checker=True,
            )
