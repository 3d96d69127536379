from .tables import save as save
from .tables import show as show
from .tables import to_json as to_json
from .tables import write_curves as write_curves
from .tables import write_summary as write_summary
