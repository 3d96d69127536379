"""Your own individuals and costs: students who can cram for one exam, but not change their school record.

Run it with ``python examples/own_population.py``.
"""

import numpy as np

from agents import DataSet, WeightedL1Cost
from learners import Perceptron, StrategicPerceptronL1
from strategic_env import StrategicClassificationEnv


def main() -> None:
    """Build a data set, say what can be manipulated, and let two learners admit students."""
    rng = np.random.default_rng(0)
    ability = rng.normal(size=500)
    record = ability + 0.1 * rng.normal(size=500)
    exam = ability + 0.1 * rng.normal(size=500)
    students = DataSet(np.column_stack([record, exam]), np.where(ability > 0, 1, -1))

    alpha = [0.0, 0.8]  # the record cannot be changed; cramming is worth up to 0.8 standard deviations
    env = StrategicClassificationEnv(students, WeightedL1Cost(alpha), horizon=2000)
    for learner in (Perceptron(), StrategicPerceptronL1(alpha, students.radius)):
        observation, _ = env.reset(seed=0)
        state, over, crammed, info = None, False, 0, {}
        while not over:
            classifier, state = learner.predict(observation, state)
            observation, _, _, over, info = env.step(classifier)
            crammed += info["moved"]
        print(f"{learner.name:24} {info['mistakes']:4} mistakes, {crammed:4} of 2,000 students crammed")


if __name__ == "__main__":
    main()
