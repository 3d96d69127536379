"""The game with several agents: learners, individuals and nature as players of PettingZoo environments.

Importing it registers the environments with PettingZoo, where the installed version has a registry.
"""

from strategic_env.multi_agent.policies import GreedyNature, UniformNature
from strategic_env.multi_agent.recording import Record, play
from strategic_env.multi_agent.registration import register_all
from strategic_env.multi_agent.seat import SeatEnv
from strategic_env.multi_agent.simultaneous import StrategicClassificationParallelEnv, parallel_env
from strategic_env.multi_agent.turns import StrategicClassificationAECEnv, env

raw_env = StrategicClassificationAECEnv

__all__ = [
    "GreedyNature",
    "Record",
    "SeatEnv",
    "StrategicClassificationAECEnv",
    "StrategicClassificationParallelEnv",
    "UniformNature",
    "env",
    "parallel_env",
    "play",
    "raw_env",
]

register_all()
