"""The site: it builds without a warning, links lead somewhere, nothing comes from elsewhere, and people find things.

Needs the extra docs, Playwright and Chromium; `.ci/run` has them.
"""

import functools
import http.server
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

pytestmark = pytest.mark.site

ROOT = Path(__file__).parents[1]
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
# What somebody new types, and a page that must be among the first five that the search shows.
QUESTIONS = {
    "Algorithm 4": "learners/unknown-cost-l2",
    "own data": "your_data",
    "theorem word for word": "theorems/index",
    "Slurm": "sweeps",
    "cite": "citing",
}
ASSETS = {"script": "src", "img": "src", "iframe": "src", "source": "src"}  # what a page shows or runs
LINKED = {"stylesheet", "icon", "preload", "modulepreload"}  # relations of <link> that a browser follows
ADDRESS = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")


class Page(HTMLParser):
    """What a page of the site names, leads to and asks for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.assets: list[str] = []
        self.pictures_without_words = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        own = {name: value or "" for name, value in attributes}
        self.anchors |= {own[name] for name in ("id", "name") if name in own}
        if tag == "a" and "href" in own:
            self.links.append(own["href"])
        if tag in ASSETS and ASSETS[tag] in own:
            self.assets.append(own[ASSETS[tag]])
        if tag == "link" and LINKED & set(own.get("rel", "").split()):
            self.assets.append(own["href"])
        self.pictures_without_words += tag == "img" and not own.get("alt")


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    """Build the site as CONTRIBUTING says, from nothing."""
    command = [sys.executable, "-m", "sphinx", "-W", "-n", "-E", "-q", "docs", str(folder)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1800)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site once; a warning is a failure."""
    folder = tmp_path_factory.mktemp("site")
    done = build(folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    """Read every page."""
    return {path.relative_to(site).as_posix(): Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


def local(site: Path, page: str, link: str) -> tuple[Path, str] | None:
    """Return the file and the anchor that a link leads to; None if it leaves the site."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    target = (site / page).parent / unquote(parts.path) if parts.path else site / page
    return target.resolve(), unquote(parts.fragment)


def test_every_link_and_anchor_exists(site: Path, pages: dict[str, Page]) -> None:
    wrong = []
    for name, page in pages.items():
        for link in page.links:
            found = local(site, name, link)
            if found is None or link == "#":
                continue
            path, anchor = found
            other = path.relative_to(site).as_posix() if path.is_file() else ""
            if not other or (anchor and path.suffix == ".html" and anchor not in pages[other].anchors):
                wrong.append(f"{name}: {link}")
    assert not wrong


def test_no_link_leaves_the_encrypted_web(pages: dict[str, Page]) -> None:
    away = {link for page in pages.values() for link in page.links if urlsplit(link).scheme not in ("", "https")}
    assert not away


def test_nothing_that_a_page_needs_comes_from_elsewhere(site: Path, pages: dict[str, Page]) -> None:
    asked = {(name, asset) for name, page in pages.items() for asset in page.assets}
    for sheet in site.rglob("*.css"):
        addresses = ADDRESS.findall(sheet.read_text(encoding="utf-8"))
        asked |= {(sheet.relative_to(site).as_posix(), one or other) for one, other in addresses}
    asked = {(name, asset) for name, asset in asked if not asset.startswith("data:")}
    found = {key: local(site, *key) for key in asked}
    assert found and not [key for key, target in found.items() if target is None or not target[0].is_file()]


def test_every_picture_says_in_words_what_it_shows(pages: dict[str, Page]) -> None:
    assert not {name: page.pictures_without_words for name, page in pages.items() if page.pictures_without_words}


def test_every_page_is_reached_from_the_front_page(site: Path, pages: dict[str, Page]) -> None:
    reached, waiting = {"index.html"}, ["index.html"]
    while waiting:
        name = waiting.pop()
        for target in (local(site, name, link) for link in pages[name].links):
            other = target and target[0].is_file() and target[0].relative_to(site).as_posix()
            if other in pages and other not in reached:
                reached.add(other)
                waiting.append(other)
    assert set(pages) - reached <= {"search.html", "_modules/index.html"}


def test_every_scenario_and_learner_has_a_page_and_every_scenario_a_picture(site: Path, pages: dict[str, Page]) -> None:
    from learners.catalogue import all_learners
    from strategic_env.games.registration import scenario_names

    wanted = {f"environments/{name}.html" for name in scenario_names()}
    wanted |= {f"learners/{name}.html" for name in all_learners()}
    assert wanted <= set(pages)
    assert {f"{name}.png" for name in scenario_names()} <= {path.name for path in site.joinpath("_images").iterdir()}


def test_every_learner_says_where_it_fails(site: Path) -> None:
    silent = [
        path.stem
        for path in site.joinpath("learners").glob("*.html")
        if "is written down beyond" in path.read_text("utf-8")
    ]
    assert not silent, "these learners' docstrings need a section Warnings that says where they fail"


WRONG_TABLES = """
from sitemaker import environments
from sphinx.errors import ExtensionError
from strategic_env import StrategicClassificationEnv as Env

for right, wrong in CHANGES:
    text = Env.__doc__
    assert right in text
    Env.__doc__ = text.replace(right, wrong)
    try:
        environments.environment_page("KnownL2")
    except ExtensionError as error:
        print(error)
    Env.__doc__ = text
environments.environment_page("KnownL2")
"""


def test_a_table_that_differs_from_the_space_stops_the_build() -> None:
    changes = [
        ("| ``features`` | ``(d,)`` |", "| ``features`` | ``(d + 1,)`` |"),
        ("``moved``, ``mistake`` |", "``moved`` |"),
        ("| ``reward`` | ``", "| ``gain`` | ``"),
    ]
    code = f"import sys; sys.path[:0] = [{str(ROOT / 'docs')!r}]\nCHANGES = {changes}\n{WRONG_TABLES}"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    space, info, option = done.stdout.splitlines()
    assert "KnownL2: the table" in space and "(3,)" in space and "the space holds" in space
    assert "infos of level 'outcome'" in info
    assert "no row for ['reward']" in option


def test_a_dangling_name_in_a_docstring_stops_the_build(tmp_path: Path) -> None:
    (tmp_path / "conf.py").write_text(
        f"import sys; sys.path[:0] = [{str(ROOT / 'docs')!r}]\n"
        "extensions, default_role = ['sitemaker.references'], 'named'\n",
        encoding="utf-8",
    )
    for name, code in (("agents.costs.L2Cost", 0), ("agents.costs.L3Cost", 1)):
        (tmp_path / "index.rst").write_text(f"Costs\n=====\n\nSee `{name}` and `numpy.nothing`.\n", encoding="utf-8")
        command = [sys.executable, "-m", "sphinx", "-W", "-n", "-E", "-q", str(tmp_path), str(tmp_path / "out")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert (done.returncode, name in done.stderr) == (code, bool(code)), done.stderr


# In Chromium.


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Serve the site on this machine."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:  # the system's, or else what `playwright install chromium` got
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Any, address: str) -> Iterator[Callable[..., Any]]:
    """Return what opens a page of the site and refuses all other hosts."""
    contexts = []

    def opened(page: str, **look: Any) -> Any:
        context = chromium.new_context(**look)
        contexts.append(context)
        context.route(lambda url: not url.startswith(address), lambda route: route.abort())
        tab = context.new_page()
        tab.goto(f"{address}/{page}")
        return tab

    yield opened
    for context in contexts:
        context.close()


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_search_finds_what_somebody_new_looks_for(question: str, visit: Callable[..., Any]) -> None:
    tab = visit("index.html", viewport=DESKTOP)
    tab.fill("input[name=q]", question)
    tab.press("input[name=q]", "Enter")
    tab.wait_for_selector("#search-results ul.search li a")
    found = tab.eval_on_selector_all("#search-results ul.search li > a", "all => all.map(one => one.pathname)")
    assert f"/{QUESTIONS[question]}.html" in found[:5]


def test_no_page_is_wider_than_a_phone_and_none_needs_scripts(
    address: str, pages: dict[str, Page], visit: Callable[..., Any]
) -> None:
    tab, wrong = visit("index.html", viewport=PHONE, java_script_enabled=False), []
    for name in sorted(set(pages) - {"search.html"}):  # to search is the one thing that needs them
        tab.goto(f"{address}/{name}")  # its style sheets, too
        width = tab.evaluate("document.documentElement.scrollWidth")
        if width > PHONE["width"] or not tab.locator("article h1").first.is_visible():
            wrong.append(f"{name}: {width} pixels")
    assert not wrong
