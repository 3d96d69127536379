"""Who publishes: the learners, their theorems' bounds, and margins of samples."""

import lazy_loader

try:
    import agents.foundation  # noqa: F401
except ImportError as error:
    raise ImportError("learners needs the 'agents' of strategic_env, whose import says what is wrong") from error

DISTRIBUTION = "strategic-env"  # which this package belongs to: others install a `learners`, too

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
