from . import margins as margins
