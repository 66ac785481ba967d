"""One HTML file that tells how policies compare. It needs no network: drawings and styles are in it."""

from collections.abc import Sequence
from html import escape

from windlass.scheduler.simulate.charts import COLOURS, Line, bars, gantt, lines, thinned
from windlass.scheduler.simulate.engine import Outcome
from windlass.scheduler.simulate.measures import BARS, Measures, meets

BLOCKS = 1500  # of a Gantt chart at most
_STYLE = """
:root { color-scheme: light dark; --ink: #1d2733; --paper: #fff; --faint: #d8dee6; }
@media (prefers-color-scheme: dark) { :root { --ink: #dbe3ec; --paper: #161b22; --faint: #333d49; } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
table { border-collapse: collapse; width: 100%; } th, td { padding: .3rem .6rem; text-align: right; }
th:first-child, td:first-child { text-align: left; }
tr + tr td, thead + tbody td { border-top: 1px solid var(--faint); }
.good { color: #2f855a; } .bad { color: #c53030; } p.note { opacity: .75; }
svg { width: 100%; height: auto; } svg text { font: 11px system-ui, sans-serif; fill: var(--ink); }
svg .rule { stroke: var(--faint); } .key span { margin-right: 1.2rem; white-space: nowrap; }
.key i { display: inline-block; width: .8rem; height: .8rem; margin-right: .35rem; border-radius: 2px; }
nav button { font: inherit; padding: .25rem .8rem; border: 1px solid var(--faint); background: none; color: inherit;
  cursor: pointer; } nav button[aria-pressed=true] { background: var(--faint); }
"""
_SCRIPT = """
for (const nav of document.querySelectorAll('nav')) {
  const panes = [...nav.parentElement.querySelectorAll('[data-pane]')];
  const show = name => {
    for (const pane of panes) pane.hidden = pane.dataset.pane !== name;
    for (const button of nav.children) button.setAttribute('aria-pressed', button.dataset.shows === name);
  };
  for (const button of nav.children) button.onclick = () => show(button.dataset.shows);
  show(nav.lastElementChild.dataset.shows);
}
"""


def html(outcomes: Sequence[Outcome], measured: Sequence[Measures]) -> str:
    scenario = outcomes[0].scenario
    colours = {outcome.policy.name: COLOURS[at % len(COLOURS)] for at, outcome in enumerate(outcomes)}
    pods = sum(job.width for job in scenario.jobs)
    nodes = sum(kind.count for kind in scenario.nodes)
    intro = f"{nodes:,} nodes, {len(scenario.jobs):,} jobs, {pods:,} pods, seed {scenario.seed}."
    sections = [
        _section("How good", _table(measured)),
        _section("GPUs at work", _key(outcomes, colours) + _utilisation(outcomes, colours), _GPUS),
        _section("Shares of the queues", _tabs(outcomes, [_queue_shares(one) for one in outcomes]), _SHARES),
        _section("Waits by gang width", _key(outcomes, colours) + _waits(measured, colours), _WAITS),
        _section("Nodes", _tabs(outcomes, [_gantt(one) for one in outcomes]), _NODES),
    ]
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(scenario.name)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body>'
        f"<h1>{escape(scenario.name)}</h1><p>{intro}</p>{''.join(sections)}<script>{_SCRIPT}</script></body></html>\n"
    )


_GPUS = "GPUs of gangs that are complete; dashed: what all jobs would like, as far as there are GPUs."
_SHARES = "The largest part of any resource that a queue has; dashed: what would be fair."
_WAITS = "From arrival to the start of the whole gang: the 95th percentile of each width."
_NODES = "Some of the nodes, and the pods on them. Point at a block to see whose it is."


def _section(title: str, body: str, note: str = "") -> str:
    return f"<section><h2>{title}</h2>{f'<p class=note>{note}</p>' if note else ''}{body}</section>"


def _key(outcomes: Sequence[Outcome], colours: dict[str, str]) -> str:
    return _legend([(one.policy.title, colours[one.policy.name]) for one in outcomes])


def _legend(names: Sequence[tuple[str, str]]) -> str:
    spans = (f'<span><i style="background:{colour}"></i>{escape(name)}</span>' for name, colour in names)
    return f'<p class="key">{"".join(spans)}</p>'


def _tabs(outcomes: Sequence[Outcome], panes: Sequence[str]) -> str:
    buttons = "".join(
        f'<button data-shows="{escape(one.policy.name)}">{escape(one.policy.title)}</button>' for one in outcomes
    )
    bodies = "".join(
        f'<div data-pane="{escape(one.policy.name)}">{pane}</div>' for one, pane in zip(outcomes, panes, strict=True)
    )
    return f"<nav>{buttons}</nav>{bodies}"


# --- the table


def _table(measured: Sequence[Measures]) -> str:
    head = "".join(f"<th>{escape(one.title)}</th>" for one in measured)
    rows = [_bar_row(field, title, bar, measured, less=less) for field, title, bar, less in BARS]
    rows += [
        _row("jobs done", [f"{one.done:,} of {one.jobs:,}" for one in measured]),
        _row("GPUs held by half gangs", [f"{one.idle_held:.1%}" for one in measured]),
        _row("makespan", [f"{one.makespan / 3600:,.1f} h" for one in measured]),
        _row("mean wait", [f"{one.mean_wait:,.0f} s" for one in measured]),
        _row("evictions", [f"{one.evictions:,}" for one in measured]),
    ]
    return f"<table><thead><tr><th></th>{head}<th>bar</th></tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _bar_row(field: str, title: str, bar: float, measured: Sequence[Measures], *, less: bool) -> str:
    cells: list[str] = []
    for one in measured:
        value = getattr(one, field)
        mark = "good" if meets(field, value, bar, less=less) else "bad"
        cells.append(f'<td class="{mark}">{shown(value)}</td>')
    return f"<tr><td>{escape(title)}</td>{''.join(cells)}<td>{'≤' if less else '≥'} {shown(bar)}</td></tr>"


def _row(title: str, cells: Sequence[str]) -> str:
    return f"<tr><td>{title}</td>{''.join(f'<td>{cell}</td>' for cell in cells)}<td></td></tr>"


def shown(value: float | None) -> str:
    """A figure of the table; nothing where there is none."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if float(value).is_integer() and (value == 0 or value >= 10) else f"{value:.3g}"


# --- drawings


def _utilisation(outcomes: Sequence[Outcome], colours: dict[str, str]) -> str:
    series: list[Line] = []
    for one in outcomes:
        samples = one.records.samples
        times = thinned([sample.time for sample in samples])
        colour = colours[one.policy.name]
        series.append(Line(one.policy.title, times, thinned([sample.working for sample in samples]), colour))
    last = outcomes[-1]
    demand = thinned([min(sample.demand, sample.gpus) for sample in last.records.samples])
    times = thinned([sample.time for sample in last.records.samples])
    series.append(Line("demand", times, demand, colours[last.policy.name], dashed=True))
    top = max((sample.gpus for one in outcomes for sample in one.records.samples), default=1.0)
    return lines(series, top=top)


def _queue_shares(outcome: Outcome) -> str:
    samples, queues = outcome.records.samples, outcome.scenario.queues
    times = thinned([sample.time for sample in samples])
    series: list[Line] = []
    for at, queue in enumerate(queues):
        colour = COLOURS[at % len(COLOURS)]
        series.append(Line(queue.name, times, thinned([one.shares[at] for one in samples]), colour))
        series.append(
            Line(f"{queue.name}, fair", times, thinned([one.fair[at] for one in samples]), colour, dashed=True)
        )
    top = max((max(line.ys, default=0.0) for line in series), default=1.0)
    names = [(f"{queue.name} (weight {queue.weight})", COLOURS[at % len(COLOURS)]) for at, queue in enumerate(queues)]
    return _legend(names) + lines(series, top=min(1.0, top * 1.1) or 1.0, percent=True)


def _waits(measured: Sequence[Measures], colours: dict[str, str]) -> str:
    widths = sorted({waits.width for one in measured for waits in one.waits})
    groups: list[tuple[str, list[tuple[str, float, str]]]] = []
    for width in widths:
        found: list[tuple[str, float, str]] = []
        for one in measured:
            waits = next((waits for waits in one.waits if waits.width == width), None)
            if waits is not None:
                never = f", {waits.never} never started" if waits.never else ""
                found.append((f"{one.title}{never}", waits.p95, colours[one.policy]))
        groups.append((f"{width}", found))
    return bars(groups)


def _gantt(outcome: Outcome) -> str:
    records = outcome.records
    rows = [name for name in outcome.scenario.node_names if name in records.watched]
    longest = sorted(records.bars, key=lambda bar: bar.start - bar.end)[:BLOCKS]
    blocks = [(bar.node, bar.start, bar.end, f"{bar.job} ({bar.width} pods)") for bar in longest]
    return gantt(rows, blocks, outcome.end)
