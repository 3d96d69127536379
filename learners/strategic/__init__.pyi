from . import passes as passes
