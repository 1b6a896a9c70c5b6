"""Settings of the manual; `make docs` builds it."""

import mixedwood

project = "mixedwood"
author = "the mixedwood developers"
version = release = mixedwood.__version__

extensions = ["sphinx.ext.autodoc", "numpydoc", "myst_parser"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3  # so that pages can link to each other's headings

autodoc_typehints = "none"  # numpydoc's parameter lists say it in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

html_theme = "furo"
html_title = f"mixedwood {version}"
