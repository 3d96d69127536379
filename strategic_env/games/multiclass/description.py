"""Online multiclass classification as data."""

from strategic_env.games.shared.game import Game

# name: what it is, in one line
MULTICLASS = {
    "FullInformation": "texts of made-up words; every action shows the label",
    "Bandit": "texts of made-up words; an action shows only whether it was right",
    "AppleTasting": "texts of made-up words; only the last class shows the label (filtering)",
    "LabelEfficient": "texts of made-up words; only asking, which counts as a mistake, shows the label",
    "FeedbackGraph": "texts of made-up words; an action shows what a graph says (a cycle, unless you give one)",
    "Spam": "4,597 e-mails; only what is delivered shows its label (real data)",
}
GAME = Game(
    "multiclass", "multiclass classification", MULTICLASS, "strategic_env.games.multiclass.scenario:MulticlassScenario"
)
