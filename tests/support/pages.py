"""Pages and tables from templates written in a test."""

import sys
import unittest.mock

from jinja2 import ChoiceLoader, DictLoader

from mixedwood import report

RENDER = sys.modules["mixedwood.report.render"]  # `report.render` is the function in it
PARTS = "bullets, cards, details, figures, legend, pairs, section, table, test_results, wide_figure"


def make_page(body, **facts):
    """A page with a body of its own, which may use all macros."""
    text = f'{{% extends "page.html.j2" %}}{{% from "parts.html.j2" import {PARTS} with context %}}'
    text += f"{{% block body %}}{body}{{% endblock %}}"
    environment = RENDER._environment()
    loader = ChoiceLoader([DictLoader({"test.html.j2": text}), environment.loader])
    given = {"title": "A page", "lead": "", "footer": "", "data": None} | facts
    with unittest.mock.patch.object(environment, "loader", loader):
        return report.render("test.html.j2", given)


def make_table(header, rows, **options):
    """The HTML of a table alone."""
    template = RENDER._environment().from_string(
        "{% from 'parts.html.j2' import table with context %}{{ table(given) }}"
    )
    return template.render(given=report.HtmlTable(header, rows, **options), contents=[])
