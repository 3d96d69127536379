"""Sweeps: many scenarios, learners and seeds, on many machines; planned, worked through, looked at, read.

Examples
--------
>>> from tempfile import TemporaryDirectory
>>> from strategic_env import sweep
>>> learners = ["perceptron", "strategic-perceptron-l2"]
>>> grid = {"rounds": 200, "seeds": "5-7", "scenarios": ["KnownL2"], "learners": learners}
>>> with TemporaryDirectory() as folder:
...     planned = sweep.plan(grid, folder)
...     outcome = sweep.work(folder, engine="serial")
...     results = sweep.read(folder)
>>> planned.rows, outcome.done, [run.mistakes for run in results[0].runs]
(6, True, [32, 41, 49, 4, 3, 2])
"""

from strategic_env.sweep.planning import Planned as Planned
from strategic_env.sweep.planning import plan as plan
from strategic_env.sweep.reading import read as read
from strategic_env.sweep.reading import table as table
from strategic_env.sweep.status import Status as Status
from strategic_env.sweep.status import status as status
from strategic_env.sweep.working import Outcome as Outcome
from strategic_env.sweep.working import work as work
