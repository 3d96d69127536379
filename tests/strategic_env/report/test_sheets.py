"""Tables as values: what notebooks show of results and scenarios."""

from dataclasses import replace

from strategic_env import evaluate, report, scenario


def test_results_show_in_a_notebook_what_the_terminal_prints() -> None:
    results = evaluate({"<b>mine</b>": "perceptron"}, "KnownL2", seeds=2, rounds=30)
    shown, page = report.sheet(results), results._repr_html_()
    assert "&lt;b&gt;mine&lt;/b&gt;" in page and "<b>mine" not in page
    assert all(f">{cell}<" in page for cell in shown.lines[0].cells) and page.count("<tr>") == 2
    assert shown.title in page and all(note.partition("'")[0] in page for note in shown.notes)


def test_a_scenario_shows_its_options_what_it_tells_and_why_it_has_no_bound() -> None:
    page = scenario("KnownL2", dim=3, noise=0.1)._repr_html_()
    assert all(text in page for text in ("option dim", "option noise", "tells alpha", "no bounds"))
    assert "no bounds" not in scenario("KnownL2")._repr_html_()
    assert "<i>" not in replace(scenario("KnownL2"), name="<i>mine")._repr_html_()


def test_the_scenario_of_another_game_shows_itself_too() -> None:
    assert "multiclass classification" in scenario("Bandit")._repr_html_()
