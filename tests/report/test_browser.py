"""Pages in a real browser: all is to be seen, nothing is loaded, nothing is complained of."""

import os
import re

import pytest

from mixedwood import TreeClassifier, report, stats
from mixedwood.datasets import make_mixed
from support.browser import Browser, find_browser
from support.made_comparisons import NASTY, make_comparison
from support.pages import make_page

PATH = find_browser()
if PATH is None and "CI" not in os.environ:
    pytest.skip("no Chromium found: apt-get install chromium", allow_module_level=True)

LONG = "a_method_with_a_name_that_is_much_longer_than_any_chart_has_room_for(depth=3)"


def every_chart():
    """A page with all kinds of charts, for studies as well."""
    names = [f"method_{i}" for i in range(9)] + [LONG]
    errors = [[0.1 + 0.01 * ((i * m) % 7) + 0.02 * m for m in range(10)] for i in range(1, 9)]
    nemenyi = stats.nemenyi_test(errors, names=names)
    cells = [[report.HeatCell("3/4/5", (i - j) / 10) for j in range(10)] for i in range(10)]
    dots = [report.Dot(n, 10.0 + i, 1.0, [9.0 + i, 11.0 + i]) for i, n in enumerate(names)]
    spots = [report.Point(n, 1 + i % 3, 5 + i % 2) for i, n in enumerate(names)]
    charts = [
        report.dot_plot(dots, axis="error %", description="Dots"),
        report.scatter_plot(spots, x_axis="seconds", y_axis="error %", description="Spots"),
    ]
    wide = [report.heat_map(names, names, cells, description="Heat"), report.rank_diagram(nemenyi)]
    return make_page(
        "{{ figures(charts) }}{% for chart in wide %}{{ wide_figure(chart) }}{% endfor %}",
        charts=[report.Figure(svg, "A chart") for svg in charts],
        wide=[report.Figure(svg, "A wide chart") for svg in wide],
    )


def a_tree():
    data = make_mixed(300, random_state=0, frame="dict")
    return TreeClassifier(max_depth=3).fit(data.X, data.y).tree_


PAGES = {
    "one set": lambda: make_comparison(n_methods=10).to_html(),
    "many sets": lambda: make_comparison(n_sets=12, n_methods=8, cv="1x3cv").to_html(),
    "everything at once": lambda: make_comparison(
        n_sets=20, n_methods=14, failures=[(0, 1, 2), (3, 3, 0)], warnings=[(0, 0, 2, "Warning: x")]
    ).to_html(),
    "hostile names": lambda: make_comparison(
        names=[NASTY + "a", NASTY + "b", LONG], sets=[NASTY, LONG], failures=[(0, 2, 0)]
    ).to_html(title=NASTY),
    "other scripts": lambda: make_comparison(
        names=["決定木の分類器", "δέντρο απόφασης", "شجرة القرار", "😀" * 8], sets=["データ"]
    ).to_html(),
    "two sets and a tree": lambda: make_comparison(n_sets=2).to_html(trees={NASTY: a_tree()}),
    "one method": lambda: make_comparison(n_methods=1).to_html(),
    "every chart": every_chart,
}

# Boxes are of ink, more or less: of a line of text its height without the room for accents.
CHECK = """
(() => {
  document.querySelectorAll("details").forEach((d) => (d.open = true));
  const wrong = [];
  const box = (node) => node.getBoundingClientRect();
  for (const svg of document.querySelectorAll("svg")) {
    const about = svg.getAttribute("aria-label").slice(0, 40);
    const frame = box(svg);
    if (!(frame.width > 20 && frame.height > 20)) wrong.push(about + ": not to be seen");
    const clip = svg.closest(".scroll");
    if (!clip && frame.right > innerWidth) wrong.push(about + ": wider than the page");
    if (!svg.querySelector("text, circle, rect, path")) wrong.push(about + ": empty");
    for (const shape of svg.querySelectorAll("text, circle, rect, path, line")) {
      const b = box(shape);
      if (b.left < frame.left - 3 || b.right > frame.right + 3 || b.top < frame.top - 3 ||
          b.bottom > frame.bottom + 3) {
        wrong.push(about + ": outside: " + shape.outerHTML.slice(0, 120));
      }
    }
    const texts = [...svg.querySelectorAll("text")].map((text) => {
      const b = box(text);
      const trim = text.hasAttribute("transform") ? [0.18 * b.width, 0] : [0, 0.18 * b.height];
      return [text, b.left + trim[0], b.top + trim[1], b.right - trim[0], b.bottom - trim[1]];
    }).filter(([text]) => text.textContent.trim());
    texts.forEach(([a, l, t, r, b], i) => texts.slice(0, i).forEach(([o, ll, tt, rr, bb]) => {
      if (l < rr && ll < r && t < bb && tt < b) {
        wrong.push(about + ": " + a.textContent + " lies over " + o.textContent);
      }
    }));
  }
  if (document.documentElement.scrollWidth > innerWidth) wrong.push("the page scrolls sideways");
  return wrong;
})()
"""


@pytest.fixture(scope="module")
def browser():
    assert PATH is not None, "CI needs Chromium for this test: apt-get install chromium"
    browser = Browser(PATH)
    yield browser
    browser.close()


@pytest.fixture(scope="module", params=PAGES)
def page(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(PAGES[request.param](), "utf-8")
    return path


def complaints(browser):
    return browser.heard("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")


def requests(browser):
    return [e["request"]["url"] for e in browser.heard("Network.requestWillBeSent")]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1200, 400])
def test_everything_is_to_be_seen_and_nothing_is_loaded(browser, page, width, dark):
    browser.open(page, width=width, dark=dark)
    assert browser.run(CHECK) == []
    assert complaints(browser) == []
    assert requests(browser) == [page.as_uri()]
    assert browser.run("document.scripts.length") <= 2
    assert browser.run("document.images.length") == 0


def test_the_page_keeps_out_what_does_not_belong(browser, tmp_path):
    """The checks above can fail: a script, an image and a complaint are seen."""
    path = tmp_path / "page.html"
    bad = "<img src='https://example.invalid/x.png'><script>document.title = 'taken'</script>"
    good = make_page(f"{bad}<svg aria-label='x'></svg>")
    path.write_text(good, "utf-8")
    browser.open(path)
    assert browser.run("document.title") == "A page"
    assert complaints(browser)
    assert browser.run(CHECK)
    path.write_text(re.sub("<meta http-equiv[^>]*>", "", good), "utf-8")
    browser.open(path)
    assert browser.run("document.title") == "taken"
    assert len(requests(browser)) == 2


@pytest.fixture
def simple(browser, tmp_path):
    found = make_comparison(n_methods=6, failures=[(0, 2, 0)])
    path = tmp_path / "page.html"
    found.to_html(path)
    browser.open(path)
    return found


ROWS = "[...document.querySelectorAll('tbody')][0].rows"
NAMES = f"[...{ROWS}].map((row) => row.cells[0].textContent)"
BUTTON = "document.querySelectorAll('thead th button')[{}]"


def values(browser, column):
    script = f"[...{ROWS}].map((row) => row.cells[{column}].dataset.v)"
    return [float(v) if v else None for v in browser.run(script)]


def click(browser, what):
    browser.run(f"{what}.scrollIntoView({{block: 'center'}})")
    place = browser.run(
        f"(b => [b.x + b.width / 2, b.y + b.height / 2])({what}.getBoundingClientRect())"
    )
    browser.click(*place)


def test_a_click_sorts_and_another_turns_the_order_round(browser, simple):
    fit = 1 + list(simple.metrics).index("fit_seconds")
    before = values(browser, fit)
    known = sorted(v for v in before if v is not None)
    assert before.count(None) == 1
    click(browser, BUTTON.format(fit))
    assert values(browser, fit) == [*known, None]
    state = f"{BUTTON.format(fit)}.parentNode.getAttribute('aria-sort')"
    assert browser.run(state) == "ascending"
    click(browser, BUTTON.format(fit))
    assert values(browser, fit) == [*known[::-1], None]
    assert browser.run(state) == "descending"
    click(browser, BUTTON.format(0))
    assert browser.run(NAMES) == sorted(simple.methods)
    assert browser.run("document.querySelectorAll('[aria-sort]').length") == 1


def test_the_keyboard_sorts_too(browser, simple):
    browser.run("document.querySelectorAll('thead th button')[0].focus()")
    browser.press("Enter")
    assert browser.run(NAMES) == sorted(simple.methods)


def test_pointing_at_a_method_lights_it_up_everywhere(browser, simple):
    row = "document.querySelector('tbody tr')"
    browser.run(f"{row}.scrollIntoView({{block: 'center'}})")
    x, y = browser.run(f"(b => [b.x + 20, b.y + 10])({row}.getBoundingClientRect())")
    browser.hover(x, y)
    found = browser.run("[...document.querySelectorAll('.highlight')].map((e) => e.dataset.key)")
    assert len(found) > 5
    assert len(set(found)) == 1
    browser.hover(1, 1)
    assert browser.run("document.querySelectorAll('.highlight').length") == 0


def test_dark_is_dark_and_light_is_light(browser, tmp_path):
    path = tmp_path / "page.html"
    make_comparison().to_html(path)
    brightness = []
    for dark in (False, True):
        browser.open(path, dark=dark)
        shown = browser.run(
            "((style) => [style(document.body).backgroundColor, style(document.body).color,"
            " style(document.querySelector('svg text.label')).fill])(getComputedStyle)"
        )
        brightness.append([sum(map(int, re.findall(r"\d+", c)[:3])) / 765 for c in shown])
    (ground, *ink), (dark_ground, *dark_ink) = brightness
    assert ground > 0.9 and dark_ground < 0.15
    assert max(ink) < 0.3 and min(dark_ink) > 0.7
    assert len(browser.picture()) > 10_000


def test_without_script_it_is_still_make_page(browser, tmp_path):
    path = tmp_path / "page.html"
    make_comparison().to_html(path)
    browser.open(path, script=False)
    shown = browser.call("Page.captureSnapshot")["data"]
    assert "<button" not in shown
    assert "ensemble" in shown
    browser.call("Emulation.setScriptExecutionDisabled", value=False)


def test_paper_shows_what_is_folded_away(browser, tmp_path):
    path = tmp_path / "page.html"
    make_comparison(n_sets=3).to_html(path)
    browser.open(path)
    count = "document.querySelectorAll('details:not([open])').length"
    folded = browser.run(count)
    assert folded > 3
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert browser.run(count) == 0
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert browser.run(count) == folded
