"""Settings of the manual; `make docs` builds it."""

import mixedwood

project = "mixedwood"
author = "the mixedwood developers"
version = release = mixedwood.__version__

extensions = ["sphinx.ext.autodoc", "numpydoc", "myst_parser", "sphinx_gallery.gen_gallery"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3  # so that pages can link to each other's headings

autodoc_typehints = "none"  # numpydoc's parameter lists say it in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# Scripts whose names begin with plot_ are run and shown; tests/test_docs.py runs all of them.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"^(?!plot_)",
    "within_subsection_order": "FileNameSortKey",
    "capture_repr": (),  # examples print what they show, so that they are also plain scripts
    "abort_on_example_error": True,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
}

html_theme = "furo"
html_title = f"mixedwood {version}"
