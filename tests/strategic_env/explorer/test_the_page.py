"""The page in a real browser: headless Chromium, driven by Playwright.

Every test also holds that no request leaves this machine, and that neither browser nor server complains.
"""

import http.client
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from strategic_env.explorer.examples import FIRST, example
from strategic_env.explorer.share import DAMAGED, pack

pytestmark = pytest.mark.browser

WIDE = {"viewport": {"width": 1280, "height": 800}}
NARROW = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
# What is drawn under a name.
DRAWN = """name => {
    const find = view => view.model.name === name && view.frame ? view
        : [...(view.child_views ?? [])].map(find).find(one => one) ?? null;
    return [...Bokeh.index].map(find).find(one => one);
}"""
# Where a point of the plane lies on the screen, and which points it shows.
PIXEL = f"""([x, y]) => {{
    const view = ({DRAWN})("plane");
    const canvas = view.canvas_view.el.getBoundingClientRect();
    return [canvas.x + view.frame.x_scale.compute(x), canvas.y + view.frame.y_scale.compute(y)];
}}"""
POINTS = """() => {
    const source = Bokeh.documents[0].get_model_by_name("points").data_source;
    return Array.from(source.data.x).map((x, at) => [x, source.data.y[at], source.data.marker[at]]);
}"""
FOCUSED = """() => {
    let found = document.activeElement;
    while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
    const style = getComputedStyle(found);
    const name = found.innerText || found.getAttribute("aria-label") || found.labels?.[0]?.innerText || found.tagName;
    return [`${found.tagName} ${name}`.slice(0, 40), style.outlineStyle];
}"""


HARMLESS = re.compile("connection was closed|Refusing websocket connection from Origin 'http://example.org'")


class Server(NamedTuple):
    """A running command: where it listens, and what it has said."""

    process: subprocess.Popen[bytes]
    url: str
    log: Path

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "strategic_env", "explore", "--no-browser", *arguments]


def serve(log: Path, *arguments: str, **settings: str) -> Server:
    """Start the command, and wait until it says where it listens."""
    with log.open("wb") as file:
        environment = os.environ | {"NUMBA_DISABLE_JIT": "1"} | settings
        process = subprocess.Popen(
            command("--port", "0", *arguments), stdout=file, stderr=subprocess.STDOUT, env=environment
        )
    deadline = time.monotonic() + 120.0
    while not (found := re.search(r"listening on (\S+)", log.read_text())):
        assert process.poll() is None and time.monotonic() < deadline, log.read_text()
        time.sleep(0.05)
    return Server(process, found[1], log)


def stop(server: Server) -> None:
    """Interrupt the command, as Ctrl-C does; it ends well, and has not complained."""
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(timeout=30) == 0
    said = server.log.read_text()
    # A visitor who leaves while something is being sent is no fault; nor is a stranger who is refused.
    faults = [line for line in said.splitlines() if re.search("ERROR|WARNING|Traceback", line)]
    assert said.endswith("stopped\n") and all(HARMLESS.search(line) for line in faults), said


def kill(server: Server) -> None:
    server.process.kill()
    server.process.wait(timeout=30)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = serve(tmp_path_factory.mktemp("log") / "server.txt")
    try:
        yield running
        stop(running)
    finally:
        kill(running)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium")
    assert program, "the browser tests need Chromium: apt-get install --no-install-recommends chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Open pages, each as another visitor; in the end nothing has gone wrong on any."""
    complaints: list[str] = []
    contexts: list[Any] = []

    def opened(url: str, look: dict[str, Any] = WIDE) -> Any:
        context = chromium.new_context(**look)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
        page.on("request", lambda request: complaints.append(request.url) if leaves(request.url) else None)
        page.goto(url)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not complaints


def leaves(url: str) -> bool:
    """Whether a request goes to another host."""
    return not re.match(r"(http|ws)://127\.0\.0\.1:|data:|blob:|about:", url)


def until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20.0
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def says(page: Any, text: str) -> None:
    """Wait until the page says so in its line of the last round."""
    page.get_by_role("status").filter(has_text=text).wait_for()


def ready(page: Any) -> Any:
    says(page, "press Step")
    return page


def press(page: Any, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def card(page: Any, name: str) -> str:
    return str(page.locator(".ex-card").filter(has=page.get_by_text(name, exact=True)).locator("b").inner_text())


def choose(page: Any, field: str, option: str) -> None:
    page.get_by_label(field, exact=True).select_option(label=option)


def place(page: Any, x: float, y: float) -> tuple[float, float]:
    """Return where a point of the plane lies on the screen, once that does not change any more."""
    before, now = None, page.evaluate(PIXEL, [x, y])
    while before != now:
        page.wait_for_timeout(300)
        before, now = now, page.evaluate(PIXEL, [x, y])
    return float(now[0]), float(now[1])


def points(page: Any) -> list[list[Any]]:
    return list(page.evaluate(POINTS))


def wait_for_points(page: Any, number: int) -> list[list[Any]]:
    page.wait_for_function(f"() => ({POINTS})().length === {number}")
    return points(page)


def row(page: Any, *cells: str) -> Any:
    return page.locator(".ex-log tr.ex-newest").filter(has_text=re.compile(r"\s*".join(map(re.escape, cells))))


HAND_ROWS = (
    ("1", "x1", "0", "yes", "(1, 0)"), ("1", "x2", "-1", "yes", "(0, -1)"), ("1", "x3", "1", "no", "(0, -1)"),
    ("2", "x1", "0", "yes", "(1, -1)"), ("2", "x2", "0", "yes", "(0, -2)"), ("2", "x3", "2", "no", "(0, -2)"),
    ("3", "x1", "0", "yes", "(1, -2)"), ("3", "x2", "1", "no", "(1, -2)"), ("3", "x3", "2", "no", "(1, -2)"),
    ("4", "x1", "1", "no", "(1, -2)"), ("4", "x2", "1", "no", "(1, -2)"), ("4", "x3", "2", "no", "(1, -2)"),
)  # fmt: skip
CLEAN = "Sweep 4 is clean: 5 mistakes, w = (1, -2)."


def test_the_hand_task_clicked_through_ends_as_the_lecture_says(server: Server, visit: Callable[..., Any]) -> None:
    page = ready(visit(server.url))
    for cells in HAND_ROWS:
        press(page, "Step")
        row(page, *cells).wait_for()
    says(page, CLEAN)
    assert card(page, "mistakes") == "5" and card(page, "sweep") == "4" and card(page, "bound R²/ρ²") == "10"
    assert card(page, "R") == "√2 ≈ 1.4142" and card(page, "best margin ρ") == "1/√5 ≈ 0.4472"
    press(page, "Back")
    row(page, *HAND_ROWS[-2]).wait_for()
    press(page, "Reset")
    says(page, "press Step")


def test_one_click_on_run_finds_the_answer_and_sweeps_go_pass_by_pass(
    server: Server, visit: Callable[..., Any]
) -> None:
    page = ready(visit(server.url))
    press(page, "Run")
    says(page, CLEAN)
    page.get_by_role("button", name="Run", exact=True).wait_for()  # no longer Stop
    press(page, "Reset")
    for last in HAND_ROWS[2::3]:
        press(page, "Sweep")
        row(page, *last).wait_for()
    says(page, CLEAN)


def test_quick_clicks_are_neither_lost_nor_overtaken(server: Server, visit: Callable[..., Any]) -> None:
    page = ready(visit(server.url))
    for _ in range(3):
        choose(page, "Example", "Lecture: margin and mistake bound")
        for _ in range(3):
            page.get_by_role("button", name="Step", exact=True).click(no_wait_after=True)
        says(page, "Round 3:")
        choose(page, "Example", FIRST)
        for _ in range(5):
            page.get_by_role("button", name="Step", exact=True).click(no_wait_after=True)
        says(page, "Round 5: x2")


def test_example_1_cycles_under_the_perceptron_and_stops_under_algorithm_2(
    server: Server, visit: Callable[..., Any]
) -> None:
    page = ready(visit(server.url))
    choose(page, "Example", "Paper: Example 1")
    says(page, "press Step")
    press(page, "Run")
    until(lambda: int(card(page, "mistakes")) >= 12)
    press(page, "Stop")
    says(page, "a mistake")
    assert int(card(page, "manipulators")) >= 6
    assert "✗ nobody can move" in page.locator(".ex-proof").inner_text()
    choose(page, "Learner", "Strategic Perceptron, l2 (Algorithm 2)")
    says(page, "press Step")
    press(page, "Run")
    says(page, "is clean: 1 mistake, w = (1, 0).")
    assert "✗" not in page.locator(".ex-proof").inner_text()


def test_points_are_added_dragged_and_deleted_in_the_plane(server: Server, visit: Callable[..., Any]) -> None:
    page = ready(visit(server.url))
    page.mouse.click(*place(page, -1.5, 1.0))
    assert wait_for_points(page, 4)[-1] == [-1.5, 1.0, "circle"]
    page.get_by_label("adds −").check()
    page.mouse.click(*place(page, -1.5, -1.0))
    assert wait_for_points(page, 5)[-1] == [-1.5, -1.0, "square"]
    page.mouse.click(*place(page, -1.5, -1.0))  # on a point: adds none
    begin, end = place(page, -1.5, 1.0), place(page, -2.0, 1.5)
    page.mouse.move(*begin)
    page.mouse.down()
    page.mouse.move(*end, steps=8)
    page.mouse.up()
    page.wait_for_function(f"() => ({POINTS})()[3][0] === -2 && ({POINTS})()[3][1] === 1.5")
    page.get_by_label("deletes").check()
    page.mouse.click(*place(page, -1.5, -1.0))
    assert len(wait_for_points(page, 4)) == 4
    press(page, "Step")
    says(page, "Round 1: x1")


def test_everything_can_be_done_by_keyboard_with_visible_focus(server: Server, visit: Callable[..., Any]) -> None:
    page = ready(visit(server.url))
    seen: list[str] = []
    for _ in range(60):
        page.keyboard.press("Tab")
        name, outline = page.evaluate(FOCUSED)
        if name.startswith("BODY"):  # the end of the page: nothing holds the focus
            break
        seen.append(name)
        assert outline != "none", f"the focus of {name} cannot be seen"
    for wanted in ("Step", "Sweep", "Run", "Back", "Reset", "Add point +", "Make it −", "Delete it", "Make a link"):
        assert any(name == f"BUTTON {wanted}" for name in seen), wanted
    page.get_by_label("x1", exact=True).focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("-1")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Add point +").focus()
    page.keyboard.press("Enter")
    assert wait_for_points(page, 4)[-1][2] == "circle"
    page.get_by_label("Point to change or delete").select_option(index=0)
    page.wait_for_function(f"() => ({POINTS})().length === 4")
    page.get_by_role("button", name="Make it −").focus()
    page.keyboard.press("Enter")
    page.wait_for_function(f"() => ({POINTS})()[0][2] === 'square'")
    page.get_by_role("button", name="Delete it").focus()
    page.keyboard.press("Enter")
    wait_for_points(page, 3)
    page.get_by_role("button", name="Step").focus()
    page.keyboard.press("Enter")
    says(page, "Round 1")


def test_a_bad_file_is_answered_with_its_line_and_a_good_one_is_loaded(
    server: Server, visit: Callable[..., Any]
) -> None:
    page = ready(visit(server.url))
    chooser = page.locator("input[type=file]")
    chooser.set_input_files({"name": "bad.csv", "mimeType": "text/csv", "buffer": b"x1,x2,label\n1,0,1\n1,zero,-1\n"})
    says(page, "bad.csv: line 3 must be three numbers, got '1,zero,-1'")
    assert len(points(page)) == 3
    chooser.set_input_files({"name": "good.csv", "mimeType": "text/csv", "buffer": b"x1,x2,label\n1,0,1\n2,2,-1\n"})
    assert wait_for_points(page, 2) == [[1, 0, "circle"], [2, 2, "square"]]


def test_settings_outside_their_limits_are_refused_in_one_line(server: Server, visit: Callable[..., Any]) -> None:
    page = ready(visit(server.url))
    page.get_by_label("alpha, their reach").click()
    page.keyboard.press("Control+A")
    page.keyboard.type("-1")
    page.keyboard.press("Enter")
    says(page, "alpha must be at least 0.0, got -1.0")
    press(page, "Step")
    says(page, "Round 1")
    choose(page, "Learner", "Strategic Perceptron, weighted l1 (Algorithm 3)")


def test_worksheets_are_downloaded(server: Server, visit: Callable[..., Any]) -> None:
    page = ready(visit(server.url))
    press(page, "Sweep")
    row(page, *HAND_ROWS[2]).wait_for()
    with page.expect_download() as waiting:
        page.get_by_text("Worksheet as CSV").click()
    lines = Path(waiting.value.path()).read_text().splitlines()
    assert lines[0] == "sweep,point,product,mistake,w1,w2" and lines[1] == "1,1,0.0,1,1.0,0.0" and len(lines) == 4


def test_a_link_restores_points_and_settings_unless_it_was_changed(server: Server, visit: Callable[..., Any]) -> None:
    page = ready(visit(server.url))
    choose(page, "Example", "Paper: Example 3")
    says(page, "press Step")
    press(page, "Make a link")
    field = page.get_by_label("Link that restores points and settings")
    until(lambda: field.input_value() != "")
    link = field.input_value()
    assert link.startswith(f"{server.url}/?setup=")
    restored = ready(visit(link))
    assert len(points(restored)) == 5 and restored.get_by_label("Learner", exact=True).input_value()
    says(visit(f"{server.url}/?setup={pack(example(FIRST))[:-9]}AAAAAAAAA"), DAMAGED)


def test_two_visitors_have_sessions_of_their_own(server: Server, visit: Callable[..., Any]) -> None:
    one, other = ready(visit(server.url)), ready(visit(server.url))
    press(one, "Step")
    says(one, "Round 1")
    choose(other, "Example", "Paper: Example 1")
    says(other, "press Step")
    press(other, "Sweep")
    says(other, "Round 3")
    says(one, "Round 1")
    assert len(points(one)) == 3


def test_a_phone_shows_everything_in_its_width_and_taps_add_points(server: Server, visit: Callable[..., Any]) -> None:
    page = ready(visit(server.url, NARROW))
    page.touchscreen.tap(*place(page, -1.0, 1.0))
    wait_for_points(page, 4)
    page.get_by_role("button", name="Step").tap()
    says(page, "Round 1")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390


def test_a_step_with_200_points_is_shown_at_once(
    server: Server, visit: Callable[..., Any], record_property: Callable[[str, object], None]
) -> None:
    from dataclasses import replace

    scenario = example("Scenario: KnownL2")
    setup = replace(scenario, points=tuple((x / 2, y / 2, label) for x, y, label in scenario.points) + scenario.points)
    page = ready(visit(f"{server.url}/?setup={pack(setup)}"))
    assert len(setup.points) == 200
    page.evaluate("""() => {
        window.steps = [];
        const log = Bokeh.documents[0].get_model_by_name("curve").renderers[0].data_source;
        log.properties.data.change.connect(() => window.steps.push(performance.now()));
    }""")
    waits = []
    for number in range(1, 21):
        begun = page.evaluate("() => performance.now()")
        page.get_by_role("button", name="Step", exact=True).dispatch_event("click")
        page.wait_for_function(f"() => window.steps.length >= {number}")
        waits.append(page.evaluate("() => window.steps.at(-1)") - begun)
    record_property("milliseconds", statistics.median(waits))
    print(f"a step with 200 points: median {statistics.median(waits):.0f} ms, longest {max(waits):.0f} ms")
    assert statistics.median(waits) < 500.0  # 100 ms on a machine that does nothing else


def test_the_results_of_a_run_are_curves_and_a_table(visit: Callable[..., Any], tmp_path: Path) -> None:
    names = "perceptron", "strategic-perceptron-l2"
    learners = [word for name in names for word in ("--learner", name)]
    play = [sys.executable, "-m", "strategic_env", "run", "KnownL2", "--seeds", "2", "--rounds", "60", *learners]
    played = [*play, "--out", str(tmp_path / "run")]
    subprocess.run(played, env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, capture_output=True, timeout=120, check=True)
    running = serve(tmp_path / "log.txt", str(tmp_path / "run"))
    try:
        page = visit(running.url)
        page.get_by_text("mistakes in 60 rounds, over 2 seeds").wait_for()
        assert page.locator(".tabulator-row").count() == 3
        page.get_by_label("logarithmic").check()
        page.get_by_label("perceptron", exact=True).uncheck()
        page.wait_for_function(
            f"() => ({DRAWN})('results')?.model.center.find(one => one.type === 'Legend').items.length === 2"
        )
        stop(running)
    finally:
        kill(running)


def test_the_results_of_a_sweep_are_shown_a_scenario_at_a_time_with_what_is_left(
    visit: Callable[..., Any], tmp_path: Path
) -> None:
    places = [{"name": "KnownL2", "grid": {"margin": [0.1, 0.2]}}]
    # So many that a shard, which takes every other chunk by name, has some of each scenario.
    grid = {"rounds": 60, "seeds": 8, "checkpoints": [20, 40], "scenarios": places, "learners": ["perceptron"]}
    (tmp_path / "grid.json").write_text(json.dumps(grid))
    words = (["plan", "grid.json", "--out", "swept", "--chunk-seconds", "1e-9"], ["work", "swept", "--shard", "0/2"])
    for more in words:
        play = [sys.executable, "-m", "strategic_env", "sweep", *more]
        environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
        subprocess.run(play, env=environment, cwd=tmp_path, capture_output=True, timeout=120, check=True)
    running = serve(tmp_path / "log.txt", str(tmp_path / "swept"))
    try:
        page = visit(running.url)
        page.get_by_text("lacks 8 of 16 chunks").wait_for()
        page.get_by_label("Scenario").select_option("KnownL2, margin=0.2")
        page.get_by_role("heading", name="KnownL2, margin=0.2: mistakes in 60 rounds").wait_for()
        assert page.locator(".tabulator-row").count() == 1
        stop(running)
    finally:
        kill(running)


def test_a_taken_port_and_a_wrong_scenario_are_refused_in_one_line(server: Server) -> None:
    for arguments, status, message in (
        (("--port", str(server.port)), 1, f"error: --port {server.port}: Address already in use"),
        (("GermanCredit",), 2, "error: the explorer shows two features; GermanCredit has"),
        (("NoSuch",), 2, "error: scenario must be one of"),
    ):
        completed = subprocess.run(command(*arguments), capture_output=True, text=True, timeout=120)
        assert completed.returncode == status and completed.stderr.startswith(message)
        assert completed.stderr.count("\n") == 1


def test_a_foreign_origin_is_refused(server: Server) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    headers = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": "x", "Sec-WebSocket-Version": "13",
               "Origin": "http://example.org"}  # fmt: skip
    connection.request("GET", "/ws", headers=headers)
    assert connection.getresponse().status == 403
    connection.close()


def test_compiling_for_one_visitor_does_not_stop_another(visit: Callable[..., Any], tmp_path: Path) -> None:
    running = serve(tmp_path / "log.txt", NUMBA_DISABLE_JIT="0", NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    try:
        page = visit(running.url)
        says(page, "Compiling")
        other = visit(running.url)
        says(other, "Compiling")
        press(other, "Add point +")
        wait_for_points(other, 4)
        page.set_default_timeout(240_000)
        says(page, "press Step")
        press(page, "Step")
        says(page, "Round 1")
        stop(running)
    finally:
        kill(running)
