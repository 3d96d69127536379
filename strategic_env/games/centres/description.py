"""Margin-independent learning as data: nearest centres, which learners of labels play."""

from strategic_env.games.shared.game import Game

# name: what it is, in one line
CENTRES = {
    "NearestNeighbor": "queries labelled by the nearest of hidden centres; a mistake costs how much farther one is",
    "LpPartition": "queries labelled by the nearest of hidden centres in an L^p norm; a mistake costs the difference",
    "ConvexSets": "points of two convex sets that nobody can learn; a mistake costs the distance to the other set",
}
GAME = Game("multiclass", "nearest centres", CENTRES, "strategic_env.games.centres.scenario:CentreScenario")
