"""How Sphinx builds the site: ``sphinx-build -W -n docs build/site``."""

import os
import sys
import tomllib
from pathlib import Path

DOCS = Path(__file__).parent
os.environ["NUMBA_DISABLE_JIT"] = "1"  # pages play a few rounds of every game: to compile them would take minutes
sys.path[:0] = [str(DOCS), str(DOCS.parent)]  # the extension, and the packages that the pages speak of

about = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
project, author = "strategic_env", "the strategic_env authors"
version = release = about["version"]
copyright = "2026, the strategic_env authors, MIT licence"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode", "numpydoc", "sitemaker"]
exclude_patterns = ["sitemaker"]
nitpicky = True
default_role = "named"  # sitemaker.references: a link where there is something of this name, else code

myst_heading_anchors = 4  # the forge gives every heading an anchor, too

autodoc_typehints = "none"  # the sections "Parameters" say it
autodoc_member_order = "bysource"
autodoc_mock_imports = ["stable_baselines3", "sb3_contrib", "torch"]  # named on the pages, and large
numpydoc_show_class_members = False

html_theme = "furo"
html_title = f"strategic_env {version}"
html_static_path = ["sitemaker/static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
