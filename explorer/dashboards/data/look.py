"""How the parts of the data page look: one style sheet, in the colours of the theme."""

from explorer.views.kit.drawing.theme import Theme

STYLE = """
:host { color: var(--text); font-size: var(--type-text, 16px); line-height: 1.45; }
h1 { font-size: var(--type-title, 28px); line-height: 1.2; margin: 0 0 6px; font-weight: 650; }
h2 { font-size: var(--type-large, 20px); line-height: 1.3; margin: 0 0 8px; font-weight: 600; }
p { margin: 0 0 8px; max-width: var(--line, 66ch); }
.muted { color: var(--muted); } .small { font-size: var(--type-small, 14px); }
.chips { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 4px 0; }
.chips > .muted { min-width: 8.5em; }
button.chip { font: inherit; font-size: var(--type-small, 14px); color: var(--text); background: var(--panel);
  border: 1px solid var(--grid); border-radius: 999px; padding: 5px 14px; cursor: pointer; }
button.chip:hover { border-color: var(--link); }
button.chip:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
button.chip[aria-pressed=true] { background: var(--tint); border-color: var(--link); font-weight: 600; }
.facts { display: flex; flex-wrap: wrap; gap: 6px 26px; margin: 6px 0 10px; padding: 0; }
.facts > div { display: flex; flex-direction: column-reverse; }
.facts dt { font-size: var(--type-small, 14px); color: var(--muted); }
.facts dd { margin: 0; font-size: var(--type-large, 20px); font-weight: 600;
  font-variant-numeric: tabular-nums; }
.bars { display: grid; grid-template-columns: max-content 1fr max-content; gap: 3px 10px; align-items: center;
  font-size: var(--type-small, 14px); margin: 4px 0 12px; max-width: 520px; }
.bars .name { max-width: 14em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bars .bar { height: 10px; border-radius: 5px; background: var(--link); min-width: 2px; }
.bars .count { font-variant-numeric: tabular-nums; color: var(--muted); }
.sentence { display: flex; flex-wrap: wrap; gap: 4px 8px; margin: 0 0 10px; }
.word { display: inline-flex; flex-direction: column; align-items: center; }
.word small { font-size: calc(0.8 * var(--type-small, 14px)); border-radius: 4px; padding: 0 5px;
  background: var(--tint); color: var(--text); border: 1px solid var(--grid); }
.word small.out { background: transparent; border-color: transparent; color: var(--muted); }
.scroll { overflow: auto; max-height: 320px; border: 1px solid var(--grid); border-radius: 8px; }
table { border-collapse: collapse; font-size: var(--type-small, 14px); width: 100%; }
th, td { text-align: left; padding: 4px 10px; border-bottom: 1px solid var(--grid); white-space: nowrap; }
th { font-weight: 600; color: var(--muted); position: sticky; top: 0; background: var(--background); }
td.label, th.label { color: var(--text); font-weight: 600; background: var(--tint); }
pre { margin: 0; padding: 8px 12px;
  font: var(--type-small, 14px)/1.5 ui-monospace, Menlo, Consolas, monospace; }
pre .n { color: var(--muted); user-select: none; display: inline-block; width: 3.2em; }
pre .bad { display: inline-block; min-width: 100%; background: var(--alarm); font-weight: 600; }
.curve svg { display: block; width: 100%; height: 120px; overflow: visible; }
.told { border-left: 4px solid var(--wrong); padding: 8px 14px; background: var(--alarm);
  border-radius: 4px; }
"""


def colours(theme: Theme) -> dict[str, str]:
    """What the style sheets ask for, as a host's styles."""
    dark = theme.name == "dark"
    return {
        "--text": theme.text,
        "--muted": theme.muted,
        "--panel": theme.panel,
        "--grid": theme.grid,
        "--background": theme.background,
        "--link": theme.dual,
        "--wrong": theme.rival,
        "--tint": "#1d3042" if dark else "#e8f1f9",
        "--alarm": "#3a2618" if dark else "#fdf0e6",
    }


__all__ = ["STYLE", "colours"]
