const REFRESH_MS = 10_000, WIDTH = 360, HEIGHT = 220, LEFT = 52, BOTTOM = 22, TOP = 8, RIGHT = 8, COLORS = 8;
const at = (id) => document.getElementById(id);
const hidden = new Set();

async function get(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}

function svg(tag, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

function span(values) {
  let low = Math.min(...values), high = Math.max(...values);
  if (low === high) { const margin = Math.abs(low) / 10 || 0.5; low -= margin; high += margin; }
  return [low, high];
}

const short = (value) => (Math.abs(value) >= 1e5 || (value && Math.abs(value) < 1e-3) ? value.toExponential(1) : String(+value.toPrecision(4)));

// --- one chart: the curves of a tag, over steps

function chart(tag, curves) {
  const points = curves.flatMap(({ points }) => points).filter(([, , value]) => value !== null);
  const card = document.createElement("article"), title = document.createElement("h2");
  title.textContent = tag;
  card.append(title);
  if (!points.length) return card;
  const [left, right] = span(points.map(([, step]) => step)), [low, high] = span(points.map(([, , value]) => value));
  const x = (step) => LEFT + ((step - left) / (right - left)) * (WIDTH - LEFT - RIGHT);
  const y = (value) => TOP + ((high - value) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const last = curves.map(({ run, points }) => `${run}: ${points.at(-1)?.[2] ?? "not a number"}`).join(", ");
  const drawn = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${tag}; last values: ${last}` });
  for (const value of [low, (low + high) / 2, high]) {
    drawn.append(svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }));
    drawn.append(svg("text", { x: LEFT - 4, y: y(value) + 3, "text-anchor": "end" }, short(value)));
  }
  drawn.append(svg("text", { x: LEFT, y: HEIGHT - 6 }, short(left)));
  drawn.append(svg("text", { x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, `step ${short(right)}`));
  for (const { run, color, points } of curves) {
    let pen = "M";
    const line = points.map(([, step, value]) => {
      if (value === null) { pen = "M"; return ""; }
      const part = `${pen}${x(step).toFixed(1)} ${y(value).toFixed(1)}`;
      pen = "L";
      return part;
    });
    drawn.append(svg("path", { d: line.join(""), class: `c${color}`, "data-run": run, "data-points": points.length }));
    const only = points.filter(([, , value]) => value !== null);
    if (only.length === 1) drawn.append(svg("circle", { cx: x(only[0][1]), cy: y(only[0][2]), r: 3, class: `c${color}` }));
  }
  card.append(drawn);
  return card;
}

// --- the page

async function show() {
  const tags = await get("data/plugin/scalars/tags"), problems = await get("data/problems");
  const runs = Object.keys(tags), wanted = at("filter").value.toLowerCase();
  const names = [...new Set(Object.values(tags).flatMap(Object.keys))].sort().filter((tag) => tag.toLowerCase().includes(wanted));
  at("empty").hidden = names.length > 0;
  at("empty").textContent = wanted && runs.length ? "No tag matches the filter." : "There are no scalars in the logs yet. The page looks for new ones by itself.";
  at("problems").replaceChildren(...Object.entries(problems).map(([file, why]) => Object.assign(document.createElement("li"), { textContent: `${file}: ${why}` })));
  at("runs").replaceChildren(...runs.map(legend));
  const cards = [];
  for (const tag of names) {
    const shown = runs.map((run, index) => ({ run, color: index % COLORS })).filter(({ run }) => tag in tags[run] && !hidden.has(run));
    const curves = await Promise.all(shown.map(async (curve) => ({ ...curve, points: await get(`data/plugin/scalars/scalars?run=${encodeURIComponent(curve.run)}&tag=${encodeURIComponent(tag)}`) })));
    cards.push(chart(tag, curves));
  }
  at("charts").replaceChildren(...cards);
}

function legend(run, index) {
  const label = document.createElement("label"), box = document.createElement("input"), swatch = document.createElement("span");
  box.type = "checkbox";
  box.checked = !hidden.has(run);
  box.onchange = () => { hidden[box.checked ? "delete" : "add"](run); refresh(); };
  swatch.className = `swatch c${index % COLORS}`;
  label.append(box, swatch, run);
  const item = document.createElement("li");
  item.append(label);
  return item;
}

let running = false;
async function refresh() {
  if (running) return;
  running = true;
  try { await show(); } catch { /* the server restarts: the next turn asks again */ } finally { running = false; }
}

at("filter").oninput = refresh;
setInterval(refresh, REFRESH_MS);
refresh();
