"""What all games share: episodes, spaces, the single and the vector environment around a game, rollouts, scenarios."""
