// The page of the file browser. State is in the address (#folder), what is shown comes from the REST API beside the page.
const PIECE = 8 << 20, UNDO_MS = 8000;
const at = (id) => document.getElementById(id);
const state = { path: "", entries: [], sort: "name", descending: false, mayWrite: false, selected: new Set() };

function cookie(name) {
  const found = document.cookie.split("; ").find((each) => each.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
}

async function call(url, options = {}) {
  const headers = { ...options.headers };
  const token = cookie("XSRF-TOKEN");
  if (token) headers["x-xsrf-token"] = token;
  const answer = await fetch(url, { ...options, headers, credentials: "same-origin" });
  const isJson = (answer.headers.get("content-type") || "").includes("json");
  const value = isJson ? await answer.json() : {};
  if (!answer.ok) throw Object.assign(new Error(value.error || `the server answered ${answer.status}`), { status: answer.status });
  return value;
}
const post = (action, value) => call(`api/${action}`, { method: "POST", body: JSON.stringify(value), headers: { "content-type": "application/json" } });
const link = (action, path, more = "") => `api/${action}?path=${encodeURIComponent(path)}${more}`;
const inside = (name) => (state.path ? `${state.path}/${name}` : name);

async function attempt(work) {
  try {
    at("problem").hidden = true;
    return await work();
  } catch (error) {
    at("problem").textContent = `${error.message}.`;
    at("problem").hidden = false;
    return undefined;
  }
}

// --- words

function size(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  for (const unit of ["KiB", "MiB", "GiB"]) {
    bytes /= 1024;
    if (bytes < 1024) return `${bytes.toFixed(bytes < 10 ? 1 : 0)} ${unit}`;
  }
  return `${(bytes / 1024).toFixed(1)} TiB`;
}

function ago(seconds) {
  const passed = Date.now() / 1000 - seconds;
  if (passed < 60) return "just now";
  for (const [unit, length] of [["min", 60], ["h", 3600], ["d", 86400]]) {
    const count = Math.floor(passed / length);
    if (count < (unit === "min" ? 60 : unit === "h" ? 24 : 30)) return `${count} ${unit} ago`;
  }
  return new Date(seconds * 1000).toLocaleDateString();
}

const SHAPES = {
  folder: "M1.5 4.5v8h13v-7h-7l-1.5-2h-4.5z",
  file: "M3.5 1.5h6l3 3v10h-9zM9.5 1.5v3h3",
  link: "M6.5 9.5l3-3M7 4.5l1.5-1.5a2.5 2.5 0 0 1 4 4l-1.5 1.5M9 11.5l-1.5 1.5a2.5 2.5 0 0 1-4-4l1.5-1.5",
};

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function icon(type) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", SHAPES[type] || SHAPES.file);
  svg.append(path);
  return svg;
}

// --- the listing

async function load() {
  const path = decodeURIComponent(location.hash.slice(1));
  await attempt(async () => {
    const found = await listing(path);
    const moved = found.path !== state.path;
    Object.assign(state, { path: found.path, entries: found.entries, mayWrite: found.mayWrite });
    if (moved) closePreview();
    state.selected.clear();
    document.body.classList.toggle("read-only", !state.mayWrite);
    show();
    if (found.opened) await preview(state.entries.find((entry) => entry.name === found.opened));
  });
}

// The address of a file shows its folder, with the file opened.
async function listing(path) {
  try {
    return await call(link("list", path));
  } catch (error) {
    if (error.status !== 400 || !path) throw error;
    const names = path.split("/");
    return { ...await call(link("list", names.slice(0, -1).join("/"))), opened: names[names.length - 1] };
  }
}

function crumbs() {
  const names = state.path ? state.path.split("/") : [];
  const parts = [names.length ? element("a", { href: "#", textContent: "Volume" }) : element("span", { textContent: "Volume" })];
  names.forEach((name, index) => {
    const target = `#${encodeURIComponent(names.slice(0, index + 1).join("/"))}`;
    parts.push(element("i", { textContent: "/" }));
    parts.push(index < names.length - 1 ? element("a", { href: target, textContent: name }) : element("span", { textContent: name }));
  });
  at("crumbs").replaceChildren(...parts);
  document.title = names.length ? `${names[names.length - 1]} – Files` : "Files";
}

function sorted() {
  const order = { name: (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }), size: (a, b) => a.size - b.size, modified: (a, b) => a.modified - b.modified };
  const wanted = at("filter").value.toLowerCase();
  const rows = state.entries.filter((entry) => entry.name.toLowerCase().includes(wanted)).sort(order[state.sort]);
  if (state.descending) rows.reverse();
  return [...rows.filter((entry) => entry.type === "folder"), ...rows.filter((entry) => entry.type !== "folder")];
}

function row(entry) {
  const path = inside(entry.name);
  const check = element("input", { type: "checkbox", checked: state.selected.has(entry.name), ariaLabel: `Select ${entry.name}` });
  check.onchange = () => { state.selected[check.checked ? "add" : "delete"](entry.name); selection(); };
  const isFolder = entry.type === "folder" || entry.leadsTo === "folder";
  const name = element("a", { textContent: entry.name, title: entry.name, href: isFolder ? `#${encodeURIComponent(path)}` : link("file", path) });
  if (!isFolder) name.onclick = (event) => { event.preventDefault(); preview(entry); };
  if (entry.unreadable || entry.leadsTo === "") { name.removeAttribute("href"); name.onclick = null; }
  const title = element("div", { className: `name ${entry.type}` }, icon(entry.type), name);
  if (entry.target) title.append(element("small", { textContent: `→ ${entry.target}` }));
  const made = element("tr", {},
    element("td", { className: "check" }, check),
    element("td", {}, title),
    element("td", { className: "number", textContent: isFolder ? "" : size(entry.size) }),
    element("td", { className: "when", textContent: ago(entry.modified), title: new Date(entry.modified * 1000).toLocaleString() }),
    element("td", { className: "row-actions" }));
  if (state.mayWrite && !entry.unreadable) made.lastChild.append(
    element("button", { textContent: "Rename", onclick: () => rename(entry) }),
    element("button", { textContent: "Move", onclick: () => move(entry) }),
    element("button", { textContent: "Delete", onclick: () => remove([entry.name]) }));
  made.dataset.name = entry.name;
  return made;
}

function show() {
  crumbs();
  const rows = sorted();
  at("rows").replaceChildren(...rows.map(row));
  at("empty").hidden = rows.length > 0;
  const hint = state.mayWrite ? "Drop files here, or use Upload." : "You may look at this volume, not change it.";
  at("empty").textContent = state.entries.length ? "No name matches the filter." : `This folder is empty. ${hint}`;
  for (const button of document.querySelectorAll("[data-sort]")) {
    if (button.dataset.sort === state.sort) button.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
    else button.removeAttribute("aria-sort");
  }
  at("download").href = link("zip", state.path);
  selection();
}

function selection() {
  const names = [...state.selected];
  at("selection").hidden = !names.length;
  at("selection").querySelector("span").textContent = `${names.length} selected`;
  at("selection").querySelector("a").href = `api/zip?${names.map((name) => `path=${encodeURIComponent(inside(name))}`).join("&")}`;
  at("all").checked = names.length > 0 && names.length === state.entries.length;
}

// --- the preview

function closePreview() {
  at("preview").hidden = true;
  for (const open of document.querySelectorAll("tr.open")) open.classList.remove("open");
}

async function preview(entry) {
  const path = inside(entry.name), panel = at("preview");
  const found = await attempt(() => call(link("preview", path)));
  if (!found) return;
  closePreview();
  for (const each of at("rows").children) each.classList.toggle("open", each.dataset.name === entry.name);
  panel.querySelector("h2").textContent = entry.name;
  panel.querySelector("h2").title = entry.name;
  panel.querySelector("a").href = link("file", path);
  panel.querySelector(".content").replaceChildren(...content(found, path));
  panel.hidden = false;
}

function content(found, path) {
  const parts = [];
  if (found.kind === "image") parts.push(element("img", { src: link("file", path, "&inline"), alt: path }));
  else if (found.kind === "text") parts.push(element("pre", { textContent: found.text }));
  else if (found.kind === "table") parts.push(table(found.rows));
  else if (found.kind === "notebook") parts.push(...found.cells.map(cell));
  else parts.push(element("p", { textContent: `No preview of this kind of file. ${size(found.size)}.` }));
  if (found.truncated) parts.push(element("p", { textContent: "Only the beginning is shown." }));
  return parts;
}

function table([head = [], ...rows]) {
  const line = (cells, tag) => element("tr", {}, ...cells.map((text) => element(tag, { textContent: text })));
  return element("table", {}, element("thead", {}, line(head, "th")), element("tbody", {}, ...rows.map((cells) => line(cells, "td"))));
}

function cell({ type, source, outputs }) {
  const shown = outputs.map((output) => output.type === "image"
    ? element("div", { className: "output" }, element("img", { src: output.url, alt: "Output" }))
    : element("div", { className: `output ${output.type}` }, element("pre", { textContent: output.text })));
  return element("div", { className: `cell ${type}` }, element("pre", { textContent: source }), ...shown);
}

// --- changes

async function ask(title, value, label = "OK") {
  const dialog = at("ask"), input = dialog.querySelector("input");
  dialog.querySelector("h2").textContent = title;
  dialog.querySelector("[value=ok]").textContent = label;
  at("bin-list").replaceChildren();
  input.hidden = value === undefined;
  input.value = value || "";
  dialog.returnValue = "";
  dialog.showModal();
  if (value !== undefined) input.select();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  return dialog.returnValue === "ok" ? input.value.trim() || true : null;
}

async function newFolder() {
  const name = await ask("Name of the new folder", "", "Create");
  if (typeof name === "string") await attempt(() => post("folder", { path: inside(name) }));
  await load();
}

async function rename(entry) {
  const name = await ask(`New name of ${entry.name}`, entry.name, "Rename");
  if (typeof name !== "string" || name === entry.name) return;
  await attempt(() => post("move", { from: inside(entry.name), to: inside(name) }));
  await load();
}

async function move(entry) {
  const target = await ask(`Move ${entry.name} to this path of the volume`, inside(entry.name), "Move");
  if (typeof target !== "string" || target === inside(entry.name)) return;
  await attempt(() => post("move", { from: inside(entry.name), to: target }));
  await load();
}

let undoing;
async function remove(names) {
  const done = await attempt(() => post("delete", { paths: names.map(inside) }));
  await load();
  if (!done) return;
  const bar = at("undo");
  bar.querySelector("span").textContent = names.length === 1 ? `Deleted ${names[0]}` : `Deleted ${names.length} entries`;
  bar.querySelector("button").onclick = async () => {
    bar.hidden = true;
    await attempt(() => post("restore", { ids: done.deleted }));
    await load();
  };
  bar.hidden = false;
  clearTimeout(undoing);
  undoing = setTimeout(() => { bar.hidden = true; }, UNDO_MS);
}

async function showBin() {
  const found = await attempt(() => call("api/bin"));
  if (!found) return;
  const chosen = ask(found.entries.length ? "Deleted files are kept for a week" : "The bin is empty", undefined, found.entries.length ? "Empty the bin" : "Close");
  at("bin-list").replaceChildren(...found.entries.map((entry) => element("div", {},
    element("span", { textContent: `${entry.path} · ${ago(entry.at)}` }),
    element("button", { type: "button", textContent: "Restore", onclick: async (event) => {
      if (await attempt(() => post("restore", { ids: [entry.id] }))) event.target.parentElement.remove();
      await load();
    } }))));
  if ((await chosen) && found.entries.length) await attempt(() => post("empty-bin", {}));
}

// --- uploads: pieces of 8 MiB; one that was interrupted continues where it stopped, also after the page was closed

async function upload(file, relative) {
  const path = inside(relative), key = `upload:${path}:${file.size}:${file.lastModified}`;
  const bar = element("progress", { max: file.size || 1, value: 0 }), text = element("span", { textContent: "…" });
  const item = element("li", {}, element("div", {}, element("span", { textContent: relative, title: relative }), text), bar);
  at("uploads").append(item);
  try {
    let part = await resumed(key, file) || await start(path, file);
    if (!part) return item.remove();
    localStorage.setItem(key, part.id);
    for (let failures = 0; !part.done;) {
      bar.value = part.offset;
      text.textContent = `${Math.floor((100 * part.offset) / file.size)} %`;
      try {
        part = await call(`api/uploads/${part.id}`, { method: "PATCH", body: file.slice(part.offset, part.offset + PIECE), headers: { "upload-offset": String(part.offset) } });
        failures = 0;
      } catch (error) {
        if ((error.status && error.status !== 409 && error.status < 502) || ++failures > 5) throw error;
        await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** failures));
        part = await call(`api/uploads/${part.id}`);
      }
    }
    localStorage.removeItem(key);
    item.remove();
  } catch (error) {
    text.textContent = `Failed: ${error.message}`;
    item.append(element("button", { textContent: "Try again", onclick: () => { item.remove(); upload(file, relative).then(load); } }));
  }
}

async function resumed(key, file) {
  const id = localStorage.getItem(key);
  if (!id) return null;
  try {
    const found = await call(`api/uploads/${id}`);
    return found.size === file.size ? found : null;
  } catch {
    localStorage.removeItem(key);
    return null;
  }
}

async function start(path, file) {
  try {
    return await post("uploads", { path, size: file.size });
  } catch (error) {
    if (error.status !== 409 || !(await ask(`${path} exists already. Replace it?`, undefined, "Replace"))) throw error;
    return post("uploads", { path, size: file.size, replace: true });
  }
}

async function uploadAll(files) {
  for (const [file, relative] of files) await upload(file, relative);
  await load();
}

async function dropped(entry, prefix = "") {
  if (entry.isFile) return [[await new Promise((resolve, reject) => entry.file(resolve, reject)), prefix + entry.name]];
  const reader = entry.createReader(), found = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return found;
    for (const inner of some) found.push(...await dropped(inner, `${prefix}${entry.name}/`));
  }
}

// --- events

const chosen = (input) => { uploadAll([...input.files].map((file) => [file, file.webkitRelativePath || file.name])); input.value = ""; };
at("upload").onclick = () => at("files").click();
at("upload-folder").onclick = () => at("folders").click();
at("files").onchange = () => chosen(at("files"));
at("folders").onchange = () => chosen(at("folders"));
at("new-folder").onclick = newFolder;
at("bin").onclick = showBin;
at("filter").oninput = show;
at("delete-selected").onclick = () => remove([...state.selected]);
at("preview").querySelector(".title button").onclick = closePreview;
at("all").onchange = (event) => { state.selected = new Set(event.target.checked ? state.entries.map((entry) => entry.name) : []); show(); };
for (const button of document.querySelectorAll("[data-sort]")) button.onclick = () => {
  state.descending = state.sort === button.dataset.sort ? !state.descending : button.dataset.sort !== "name";
  state.sort = button.dataset.sort;
  show();
};
addEventListener("hashchange", load);
addEventListener("keydown", (event) => { if (event.key === "Escape") closePreview(); });
addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.toggle("dropping", state.mayWrite); });
addEventListener("dragleave", () => document.body.classList.remove("dropping"));
addEventListener("drop", async (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  if (!state.mayWrite) return;
  const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
  uploadAll((await Promise.all(entries.map((entry) => dropped(entry)))).flat());
});
load();
