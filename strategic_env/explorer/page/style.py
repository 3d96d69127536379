"""How the page looks: colours that colour-blind people tell apart, shapes, and the grid of either width."""

POSITIVE, NEGATIVE = "#0072B2", "#D55E00"
SURROGATE, AFTER, BEFORE = "#7A1F5C", "#007A5A", "#8A8A8A"
INK, GREY, PALE, ZONE = "#1B1F24", "#5C636B", "#E4E7EB", "#E69F00"
MARKERS = {1.0: "circle", -1.0: "square"}
COLOURS = {1.0: POSITIVE, -1.0: NEGATIVE}

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
# Of every widget: the default focus is faint.
WIDGET = f"""
:host {{ --font: {FONT}; font-family: {FONT}; }}
.bk-btn, .bk-input, select, input, label, td, th {{ font-family: {FONT} !important; }}
.bk-btn {{ padding: 6px 8px !important; font-weight: 600; white-space: nowrap; }}
:focus-visible {{ outline: 3px solid {INK} !important; outline-offset: 2px !important; box-shadow: none !important; }}
"""
TEXT = f"""
:host, table, .ex-cards {{ font-family: {FONT}; color: {INK}; }}
:focus-visible {{ outline: 3px solid {INK}; outline-offset: 1px; }}
h1 {{ font-size: 18px; margin: 0; }}
h2 {{ font-size: 15px; margin: 0; font-weight: 700; }}
.ex-say {{ font-size: 15px; font-weight: 600; padding: 7px 10px; }}
.ex-say {{ border-left: 5px solid {POSITIVE}; background: #F3F7FA; }}
.ex-say.ex-clean {{ border-color: {AFTER}; background: #EEF8F4; }}
.ex-say.ex-wrong {{ border-color: {NEGATIVE}; background: #FDF3EC; }}
.ex-cards {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(118px, 1fr)); gap: 6px; }}
.ex-card {{ border: 1px solid {PALE}; border-radius: 6px; padding: 5px 8px; background: #fff; min-width: 0; }}
.ex-card b {{ display: block; font-size: 16px; line-height: 1.25; overflow-wrap: anywhere; }}
.ex-card span {{ font-size: 11.5px; color: {GREY}; line-height: 1.25; display: block; }}
.ex-proof {{ list-style: none; margin: 6px 0 0; padding: 0; font-size: 12.5px; line-height: 1.4; }}
.ex-log {{ overflow: auto; height: var(--log, 196px); border: 1px solid {PALE}; border-radius: 6px; }}
.ex-log table {{ border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums; }}
.ex-log th {{ position: sticky; top: 0; background: #F3F5F7; text-align: left; padding: 4px 8px; white-space: nowrap; }}
.ex-log td {{ padding: 3px 8px; border-top: 1px solid {PALE}; white-space: nowrap; }}
.ex-log tr.ex-mistake td {{ background: #FDF3EC; font-weight: 600; }}
.ex-log tr.ex-newest td {{ border-top: 2px solid {INK}; border-bottom: 2px solid {INK}; }}
.ex-legend {{ display: flex; flex-wrap: wrap; gap: 3px 12px; font-size: 12px; color: {INK}; align-items: center; }}
.ex-legend span {{ display: inline-flex; align-items: center; gap: 4px; white-space: nowrap; }}
"""
FIGURE = f":host(:focus-visible), :focus-visible {{ outline: 3px solid {INK} !important; outline-offset: -3px; }}"
GRID = """
:host {
  display: grid !important; box-sizing: border-box; gap: 8px 14px; width: 100%; max-width: 1400px; margin: 0 auto;
  padding: 8px 14px; background: #fff;
  grid-template-columns: minmax(0, 440px) minmax(0, 1fr) minmax(0, 1fr);
  grid-template-areas: "title title title" "plane say say" "plane run run" "plane log log" "plane cards curve"
    "more more more";
  grid-template-rows: auto auto auto auto 1fr auto;
}
@media (max-width: 900px) {
  :host {
    grid-template-columns: minmax(0, 1fr); padding: 8px;
    grid-template-areas: "title" "say" "plane" "run" "cards" "log" "curve" "more"; grid-template-rows: none;
  }
}
"""
WIDE = {"grid-column": "1 / -1"}  # a field as wide as all columns
SECTIONS = f"""
:host {{ display: grid !important; grid-template-columns: repeat(auto-fit, minmax(320px, 1fr)); gap: 14px 22px;
  width: 100%; border-top: 1px solid {PALE}; padding-top: 8px; }}
"""
BUTTONS = """
:host { display: grid !important; grid-template-columns: repeat(5, minmax(0, 1fr)); gap: 6px; width: 100%; }
"""
FIELDS = """
:host { display: grid !important; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 4px 12px;
  width: 100%; align-items: end; }
"""


def _mark(inside: str, width: int = 18) -> str:
    return f'<svg width="{width}" height="18" viewBox="0 0 {width} 18" aria-hidden="true">{inside}</svg>'


def _arrow(colour: str, dash: str = "") -> str:
    return _mark(
        f'<line x1="1" y1="9" x2="20" y2="9" stroke="{colour}" stroke-width="3" stroke-dasharray="{dash}"/>'
        f'<path d="M18 3 L27 9 L18 15 Z" fill="{colour}"/>',
        28,
    )


def _line(dash: str) -> str:
    return _mark(
        f'<line x1="1" y1="9" x2="27" y2="9" stroke="{INK}" stroke-width="2.5" stroke-dasharray="{dash}"/>', 28
    )


CROSS = f'<path d="M2 2 L16 16 M16 2 L2 16" stroke="{INK}" stroke-width="2.5"/>'
LEARNING = (
    (_mark(f'<circle cx="9" cy="9" r="6.5" fill="{POSITIVE}"/>'), "label +"),
    (_mark(f'<rect x="3" y="3" width="12" height="12" fill="{NEGATIVE}"/>'), "label −"),
    (_mark(f'<circle cx="9" cy="9" r="7.5" fill="none" stroke="{INK}" stroke-width="2"/>'), "who arrived"),
    (_mark(CROSS), "mistake"),
    (_arrow(BEFORE, "4 3"), "w before"),
    (_arrow(AFTER), "w after"),
    (_line(""), "line that was faced"),
    (_line("3 3"), "line from now on"),
)
MOVING = (
    (_mark(f'<path d="M3 15 L15 3" stroke="{INK}" stroke-width="2"/><circle cx="13" cy="5" r="4" fill="none" '
           f'stroke="{INK}" stroke-width="2"/>'), "reported point"),
    (_mark(f'<path d="M9 1 L17 9 L9 17 L1 9 Z" fill="none" stroke="{SURROGATE}" stroke-width="2.5"/>'), "surrogate"),
    (_mark(f'<rect x="1" y="2" width="16" height="14" fill="{ZONE}" fill-opacity=".25" stroke="{ZONE}"/>'
           f'<path d="M1 16 L15 2 M6 16 L17 5" stroke="{ZONE}"/>'), "can reach the line"),
)  # fmt: skip


def legend(moving: bool) -> str:
    """Return what the marks of the plane mean, as HTML."""
    entries = (*LEARNING, *(MOVING if moving else ()))
    return f'<div class="ex-legend">{"".join(f"<span>{mark}{text}</span>" for mark, text in entries)}</div>'
