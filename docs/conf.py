"""How Sphinx builds the site: `sphinx-build -nW docs build/site`."""

import os
import sys
from importlib.metadata import version as installed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
os.environ["TTY_COMPATIBLE"] = "0"  # what commands in cells print has no progress in it

project = "slotwise"
author = "slotwise developers"
copyright = author
version = release = installed("slotwise")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "building.mathematics",
    "building.package",
    "building.pages",
    "building.reference",
]
exclude_patterns = ["building", "_*", "**/.*"]
source_suffix = {".md": "myst-nb"}
html_math_renderer = "mathml"

# Markdown, as it reads on a forge
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

# Pages with cells are run; an error, or a cell of a quarter of an hour, ends the build.
nb_execution_mode = "force"
nb_execution_in_temp = True  # what cells write stays out of the sources
nb_execution_timeout = 900
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_merge_streams = True
nb_ipywidgets_js: dict[str, dict[str, str]] = {}

# Docstrings
default_role = "literal"
autodoc_typehints = "description"
autodoc_class_signature = "mixed"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_default_options = {
    "members": True,
    "inherited-members": "object,str,tuple,dict,Sequence,Enum,BaseException,BaseModel,Protocol",
}
autodoc_type_aliases = {
    name: name for name in ("FloatArray", "IntArray", "BoolArray", "LevelArray")
}
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_attr_annotations = False
napoleon_preprocess_types = False
python_use_unqualified_type_names = True

nitpicky = True
highlight_language = "none"
language = "en"

html_theme = "furo"
html_title = "slotwise"
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = False  # a page opened from disk may fetch none
html_show_copyright = False
html_last_updated_fmt = None
html_static_path = ["_static"]
html_css_files = ["site.css"]
