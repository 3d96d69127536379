"""A run that can be walked: rounds forth and back, passes, until a clean one. Everything is played by the game."""

from dataclasses import dataclass, field

from strategic_env.explorer.setup import Setup
from strategic_env.games.strategic.record import RecordedGame, RecordedRound

MOST_ROUNDS = 20_000


@dataclass(frozen=True)
class Tally:
    """Counts up to a round.

    Attributes
    ----------
    mistakes, updates, moved : int
    quiet : int
        Rounds since the last mistake or update.
    """

    mistakes: int = 0
    updates: int = 0
    moved: int = 0
    quiet: int = 0

    def after(self, line: RecordedRound, mistake: bool) -> "Tally":
        """Return the counts after one more round."""
        quiet = 0 if mistake or line.updated else self.quiet + 1
        return Tally(self.mistakes + mistake, self.updates + line.updated, self.moved + bool(line.round.moved), quiet)


@dataclass
class Session:
    """A setup that is played, and how much of the play is shown.

    Attributes
    ----------
    setup : Setup
        Must have points.
    shown : int
        So many rounds are shown: a cursor in the record, which going back moves.

    Raises
    ------
    ValueError
        If the setup cannot be played.

    Examples
    --------
    >>> from strategic_env.explorer.examples import FIRST, example
    >>> session = Session(example(FIRST))
    >>> while not session.clean:
    ...     _ = session.step()
    >>> session.tally.mistakes, session.place(session.shown - 1)
    (5, (4, 2))
    """

    setup: Setup
    shown: int = 0
    tallies: list[Tally] = field(default_factory=lambda: [Tally()])

    def __post_init__(self) -> None:
        """Build the game."""
        self.scenario = self.setup.scenario()
        self.learner = self.setup.build_learner(self.scenario)
        self.game = RecordedGame(self.learner, self.scenario.setting, self.scenario.proved)
        self.block = len(self.setup.points) - self.setup.head
        self.counts_ties = self.learner.parameters.get("ties") == "lecture"

    @property
    def rounds(self) -> list[RecordedRound]:
        """The rounds that are shown."""
        return self.game.rounds[: self.shown]

    @property
    def last(self) -> RecordedRound | None:
        """The last round that is shown."""
        return self.game.rounds[self.shown - 1] if self.shown else None

    @property
    def tally(self) -> Tally:
        """Counts up to the last round that is shown."""
        return self.tallies[self.shown]

    def is_mistake(self, line: RecordedRound) -> bool:
        """Whether a round counts as a mistake: for the lecture's perceptron, a tie does, too."""
        return line.updated if self.counts_ties else bool(line.round.mistake)

    def place(self, round: int) -> tuple[int, int]:
        """Return the sweep, from 1, of a round from 0, and how many of its sweep came before it, the head not counted.

        The head belongs to the first sweep.
        """
        sweep, before = divmod(max(0, round - self.setup.head), self.block)
        return sweep + 1, before

    @property
    def between_sweeps(self) -> bool:
        """Whether the last round that is shown ends a sweep, or none is shown."""
        played = self.shown - self.setup.head
        return self.shown == 0 or (played > 0 and played % self.block == 0)

    @property
    def clean(self) -> bool:
        """Whether the last sweep is shown whole, and changed nothing and had no mistake."""
        return self.shown > 0 and self.between_sweeps and self.tally.quiet >= self.block

    @property
    def at_limit(self) -> bool:
        """Whether no more rounds are kept."""
        return self.shown >= MOST_ROUNDS

    def step(self) -> bool:
        """Show one more round, which is played if it has not been; return whether there is one."""
        if self.at_limit:
            return False
        if self.shown == len(self.game.rounds):
            line = self.game.play()
            self.tallies.append(self.tallies[-1].after(line, self.is_mistake(line)))
        self.shown += 1
        return True

    def back(self) -> None:
        """Show one round less, if one is shown."""
        self.shown = max(0, self.shown - 1)

    def reset(self) -> None:
        """Show no round; what was played stays in the record."""
        self.shown = 0
