"""RLlib trains everybody at once, in both forms of the game: one policy for each role.

Run it with ``python examples/adapters/with_rllib.py``; it needs ``pip install "ray[rllib]"``, which brings its own
version of Gymnasium, so use a virtual environment of its own.
"""

import logging

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.connectors.env_to_module import FlattenObservations
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv, PettingZooEnv
from ray.tune.registry import register_env

from strategic_env.multi_agent import env, parallel_env

ROUNDS = 25
FORMS = {
    "turns": lambda: PettingZooEnv(env("KnownL2", max_cycles=ROUNDS)),
    "together": lambda: ParallelPettingZooEnv(parallel_env("KnownL2", individuals=3, max_cycles=ROUNDS)),
}


def play_at_random(form: str) -> None:
    game = FORMS[form]()
    seen, _ = game.reset(seed=0)
    paid, steps, over = dict.fromkeys(game.possible_agents, 0.0), 0, False
    while not over:
        assert all(seen[agent] in game.observation_space[agent] for agent in seen)
        actions = {agent: game.action_space[agent].sample() for agent in seen}
        seen, rewards, _, truncated, _ = game.step(actions)
        over, steps = truncated["__all__"], steps + 1
        for agent, reward in rewards.items():
            paid[agent] += reward
    assert steps == (2 * ROUNDS if form == "turns" else ROUNDS)
    print(f"{form}: an episode at random, {-int(paid['learner_0'])} mistakes")


def train(form: str, steps: int = 200) -> None:
    register_env(form, lambda _: FORMS[form]())
    config = (
        PPOConfig()
        .environment(form)
        .env_runners(
            num_env_runners=0,
            env_to_module_connector=lambda env, spaces, device: FlattenObservations(multi_agent=True),
        )
        .training(train_batch_size_per_learner=steps, minibatch_size=50, num_epochs=1)
        .multi_agent(
            policies={"learner", "individual"},
            policy_mapping_fn=lambda agent, *_, **__: agent.split("_")[0],
        )
    )
    algorithm = config.build_algo()
    result = algorithm.train()
    algorithm.stop()
    assert {"learner", "individual"} <= result["learners"].keys()
    paid = result["env_runners"]["agent_episode_returns_mean"]
    assert paid.keys() == set(FORMS[form]().possible_agents)
    print(f"{form}: trained, while the learner made {-paid['learner_0']:.1f} mistakes per episode")


if __name__ == "__main__":
    for form in FORMS:
        play_at_random(form)
    ray.init(include_dashboard=False, logging_level=logging.ERROR)
    for form in FORMS:
        train(form)
    ray.shutdown()
