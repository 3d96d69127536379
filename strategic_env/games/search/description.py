"""Contextual search as data."""

from strategic_env.games.shared.game import Game

# name: what it is, in one line
SEARCH = {"ContextualSearch": "guesses of a hidden point's inner products, which are told to be too high or not"}
GAME = Game("search", "contextual search", SEARCH, "strategic_env.games.search.scenario:SearchScenario")
