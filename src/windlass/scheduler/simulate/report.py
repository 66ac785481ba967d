"""One HTML file that shows how policies compare. It needs no network: drawings and styles are in it."""

from collections.abc import Sequence
from html import escape

from windlass.scheduler.simulate.charts import COLOURS, INK, Block, Column, Line, bars, gantt, length, lines, thinned
from windlass.scheduler.simulate.engine import Outcome
from windlass.scheduler.simulate.measures import BARS, Measures, Waits, meets
from windlass.scheduler.simulate.records import Bar

NONE = "–"
BLOCKS = 1500  # of a Gantt chart at most
_STYLE = """
:root { color-scheme: light dark; --ink: #1d2733; --paper: #fff; --faint: #d8dee6; --track: #f3f5f8;
  --good: #22774f; --bad: #c53030; }
@media (prefers-color-scheme: dark) { :root { --ink: #dbe3ec; --paper: #161b22; --faint: #333d49; --track: #1e252e;
  --good: #63c793; --bad: #ff8f8f; } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.chart { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; } th, td { padding: .3rem .6rem; text-align: right; }
th, td { white-space: nowrap; } td { font-variant-numeric: tabular-nums; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: var(--paper); }
tr + tr td, thead + tbody td { border-top: 1px solid var(--faint); }
.good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; } p.note, details { opacity: .8; }
details { margin-top: .8rem; } dt { font-weight: 600; } dd { margin: 0 0 .4rem; }
svg { width: 100%; min-width: 680px; height: auto; display: block; }
svg text { font: 11px system-ui, sans-serif; fill: var(--ink); }
svg .rule { stroke: var(--faint); } svg .track { fill: var(--track); }
polyline:hover { stroke-width: 3; } svg rect:not(.track):hover { stroke: var(--ink); }
.key span { margin-right: 1.2rem; white-space: nowrap; }
.key i { display: inline-block; width: .8rem; height: .8rem; margin-right: .35rem; border-radius: 2px; }
.key i.dashed { width: 1.4rem; height: 0; border-top: 2px dashed var(--ink); border-radius: 0; vertical-align: .25rem; }
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
        _section("How good", _table(measured) + _meanings()),
        _section("GPUs at work", _utilisation(outcomes, colours), _GPUS),
        _section("Shares of the queues", _tabs(outcomes, [_queue_shares(one) for one in outcomes]), _SHARES),
        _section("Waits by gang width", _key(outcomes, colours) + _waits(measured, colours), _WAITS),
        _section("Nodes", _tabs(outcomes, [_gantt(one) for one in outcomes]), _nodes_note(outcomes)),
    ]
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(scenario.name)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body>'
        f"<h1>{escape(scenario.name)}</h1><p>{intro}</p>{''.join(sections)}<script>{_SCRIPT}</script></body></html>\n"
    )


_GPUS = "GPUs of gangs that are complete, and what all jobs would like, as far as there are GPUs."
_SHARES = "The largest part of any resource that a queue has; dashed: what would be fair."
_WAITS = "From arrival to the start of the whole gang: the 95th percentile, by the number of its pods."
_MEANINGS = {
    "gang violations": "Times that a gang was started with fewer pods than it needs.",
    "stuck gangs": "Gangs that lacked a pod for more than six minutes although there was room, or for ever.",
    "utilisation": "GPUs at work, by those that could have been: as far as jobs wanted them.",
    "makespan ratio": "When the last job was done, by when it could have been at best.",
    "DRF error": "How far the queue that is worst off is from its fair share, on average.",
    "large-gang wait, by FIFO's": "The 95th percentile of waits of gangs of 128 pods or more, by that of strict FIFO.",
    "eviction waste": "The part of all work on GPUs that was lost because pods were made to go.",
}


def _meanings() -> str:
    listed = "".join(f"<dt>{escape(name)}</dt><dd>{words}</dd>" for name, words in _MEANINGS.items())
    return f"<details><summary>What the figures mean</summary><dl>{listed}</dl></details>"


def _nodes_note(outcomes: Sequence[Outcome]) -> str:
    of, drawn = len(outcomes[0].scenario.node_names), len(outcomes[0].records.watched)
    which = f"{drawn} of the {of:,} nodes" if drawn < of else "All nodes"
    most = f" Only the {BLOCKS:,} longest are drawn." if any(len(_blocks(one)) > BLOCKS for one in outcomes) else ""
    return (
        f"{which}, and the jobs on them; a block is as high as the part of the node that its pods have. "
        f"Point at one to see whose it is.{most}"
    )


def _section(title: str, body: str, note: str = "") -> str:
    return f"<section><h2>{title}</h2>{f'<p class=note>{note}</p>' if note else ''}{body}</section>"


def _key(outcomes: Sequence[Outcome], colours: dict[str, str], dashed: str = "") -> str:
    return _legend([(one.policy.title, colours[one.policy.name]) for one in outcomes], dashed)


def _legend(names: Sequence[tuple[str, str]], dashed: str = "") -> str:
    spans = [f'<span><i style="background:{colour}"></i>{escape(name)}</span>' for name, colour in names]
    spans += [f'<span><i class="dashed"></i>{dashed}</span>'] if dashed else []
    return f'<p class="key">{"".join(spans)}</p>'


def _tabs(outcomes: Sequence[Outcome], panes: Sequence[str]) -> str:
    if len(panes) == 1:
        return panes[0]
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
    columns = f"<thead><tr><th></th>{head}<th>bar</th></tr></thead>"
    return f'<div class="chart"><table>{columns}<tbody>{"".join(rows)}</tbody></table></div>'


def _bar_row(field: str, title: str, bar: float, measured: Sequence[Measures], *, less: bool) -> str:
    cells: list[str] = []
    for one in measured:
        value = getattr(one, field)
        mark = "" if value is None else "good" if meets(field, value, bar, less=less) else "bad"
        cells.append(f'<td class="{mark}">{escape(shown(value))}</td>')
    return f"<tr><td>{escape(title)}</td>{''.join(cells)}<td>{'≤' if less else '≥'} {shown(bar)}</td></tr>"


def _row(title: str, cells: Sequence[str]) -> str:
    return f"<tr><td>{title}</td>{''.join(f'<td>{cell}</td>' for cell in cells)}<td></td></tr>"


def shown(value: float | None) -> str:
    """A figure of the table; nothing where there is none."""
    if value is None:
        return NONE
    if 0 < value < 0.001:
        return "< 0.001"
    return f"{value:,.0f}" if float(value).is_integer() and (value == 0 or value >= 10) else f"{value:.3g}"


# --- drawings


def _utilisation(outcomes: Sequence[Outcome], colours: dict[str, str]) -> str:
    top = max((sample.gpus for one in outcomes for sample in one.records.samples), default=0.0)
    if top <= 0:
        return "<p>The cluster has no GPUs.</p>"
    series: list[Line] = []
    for one in outcomes:
        samples = one.records.samples
        times = thinned([sample.time for sample in samples])
        colour = colours[one.policy.name]
        series.append(Line(one.policy.title, times, thinned([sample.working for sample in samples]), colour))
    last = outcomes[-1]
    demand = thinned([min(sample.demand, sample.gpus) for sample in last.records.samples])
    times = thinned([sample.time for sample in last.records.samples])
    series.insert(0, Line("wanted", times, demand, INK, dashed=True))
    return _key(outcomes, colours, f"wanted ({escape(last.policy.title)})") + lines(series, top=top, unit="GPUs")


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
    chart = lines(series, top=min(1.0, top * 1.1) or 1.0, unit="share of the cluster", percent=True)
    return _legend(names, "fair") + chart


def _waits(measured: Sequence[Measures], colours: dict[str, str]) -> str:
    names = {waits.width: waits.pods.split(" ")[0] for one in measured for waits in one.waits}
    groups: list[tuple[str, list[Column]]] = []
    for width in sorted(names):
        found = [(one, waits) for one in measured for waits in one.waits if waits.width == width]
        groups.append((names[width], [_column(one.title, waits, colours[one.policy]) for one, waits in found]))
    return bars(groups, "wait (logarithmic)")


def _column(title: str, waits: Waits, colour: str) -> Column:
    words = f"{title}: {waits.p95:,.0f} s, of {waits.jobs:,} jobs"
    if not waits.never:
        return Column(words, waits.p95, colour)
    return Column(f"{words}; {waits.never:,} never started", waits.p95, colour, f"{waits.never:,} never")


def _gantt(outcome: Outcome) -> str:
    records = outcome.records
    rows = [name for name in outcome.scenario.node_names if name in records.watched]
    longest = sorted(_blocks(outcome), key=lambda one: one.start - one.end)[:BLOCKS]
    return gantt(rows, longest, max((one.end for one in longest), default=outcome.end))


def _blocks(outcome: Outcome) -> list[Block]:
    """Pods of a job that came to a node and left it together are one."""
    together: dict[tuple[str, str, float, float], list[Bar]] = {}
    for bar in outcome.records.bars:
        together.setdefault((bar.node, bar.job, bar.start, bar.end), []).append(bar)
    return [
        Block(node, start, end, min(1.0, sum(one.part for one in pods)), job, _tooltip(pods))
        for (node, job, start, end), pods in together.items()
    ]


def _tooltip(pods: Sequence[Bar]) -> str:
    one = pods[0]
    number = f"{len(pods)} of {one.width} pods" if one.width > 1 else "1 pod"
    return f"{one.job}: {number}, from {length(one.start)} to {length(one.end)}"
