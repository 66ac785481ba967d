/** The common part of Markdown as a tree. HTML is text like any other, so that what is drawn cannot be anything but text. Pure. */

export type Inline =
  | { type: "text"; text: string }
  | { type: "code"; text: string }
  | { type: "strong" | "emphasis" | "deleted"; children: Inline[] }
  | { type: "link"; href: string; children: Inline[] };

export type Block =
  | { type: "heading"; level: number; children: Inline[] }
  | { type: "paragraph"; children: Inline[] }
  | { type: "code"; text: string }
  | { type: "quote"; children: Block[] }
  | { type: "list"; isOrdered: boolean; items: Block[][] }
  | { type: "table"; head: Inline[][]; rows: Inline[][][] }
  | { type: "rule" };

const MAX_DEPTH = 8;
const FENCE = /^ {0,3}(```+|~~~+)/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const RULE = /^ {0,3}([-*_])(\s*\1){2,}\s*$/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])\s+/;
const TABLE_LINE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

export function parseMarkdown(source: string): Block[] {
  return blocksOf(source.replaceAll("\r\n", "\n").split("\n"), 0);
}

function blocksOf(lines: string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let place = 0;
  while (place < lines.length) {
    const [block, next] = blockAt(lines, place, depth);
    if (block !== undefined) blocks.push(block);
    place = Math.max(next, place + 1);
  }
  return blocks;
}

/** The block that begins at a line, and the line after it. */
function blockAt(lines: string[], place: number, depth: number): [Block | undefined, number] {
  const line = lines[place] ?? "";
  if (line.trim() === "") return [undefined, place + 1];
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) return fenced(lines, place, fence);
  const heading = HEADING.exec(line);
  if (heading !== null) return [{ type: "heading", level: (heading[1] ?? "").length, children: parseInline(heading[2] ?? "") }, place + 1];
  if (RULE.test(line)) return [{ type: "rule" }, place + 1];
  if (/^ {0,3}>/.test(line) && depth < MAX_DEPTH) return quoted(lines, place, depth);
  if (ITEM.test(line) && depth < MAX_DEPTH) return listed(lines, place, depth);
  if (line.includes("|") && TABLE_LINE.test(lines[place + 1] ?? "") && (lines[place + 1] ?? "").includes("-")) return tabled(lines, place);
  return paragraphAt(lines, place);
}

function fenced(lines: string[], place: number, fence: string): [Block, number] {
  let end = place + 1;
  while (end < lines.length && !(lines[end] ?? "").trim().startsWith(fence)) end++;
  return [{ type: "code", text: lines.slice(place + 1, end).join("\n") }, end + 1];
}

function quoted(lines: string[], place: number, depth: number): [Block, number] {
  let end = place;
  while (end < lines.length && /^ {0,3}>/.test(lines[end] ?? "")) end++;
  const inner = lines.slice(place, end).map((line) => line.replace(/^ {0,3}> ?/, ""));
  return [{ type: "quote", children: blocksOf(inner, depth + 1) }, end];
}

function listed(lines: string[], place: number, depth: number): [Block, number] {
  const isOrdered = /^\s*\d/.test(lines[place] ?? "");
  const items: string[][] = [];
  let end = place;
  while (end < lines.length) {
    const line = lines[end] ?? "";
    const match = ITEM.exec(line);
    if (match !== null && /\d/.test(match[2] ?? "") === isOrdered) items.push([line.slice(match[0].length)]);
    else if (/^\s{2,}\S/.test(line) && items.length > 0) items.at(-1)?.push(line.replace(/^\s{2,4}/, ""));
    else break;
    end++;
  }
  return [{ type: "list", isOrdered, items: items.map((item) => blocksOf(item, depth + 1)) }, end];
}

const cells = (line: string): Inline[][] =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => parseInline(cell.trim()));

function tabled(lines: string[], place: number): [Block, number] {
  let end = place + 2;
  while (end < lines.length && (lines[end] ?? "").includes("|")) end++;
  return [{ type: "table", head: cells(lines[place] ?? ""), rows: lines.slice(place + 2, end).map(cells) }, end];
}

function paragraphAt(lines: string[], place: number): [Block, number] {
  let end = place + 1;
  while (end < lines.length) {
    const line = lines[end] ?? "";
    if (line.trim() === "" || FENCE.test(line) || HEADING.test(line) || RULE.test(line) || /^ {0,3}>/.test(line) || ITEM.test(line)) break;
    end++;
  }
  return [{ type: "paragraph", children: parseInline(lines.slice(place, end).map((line) => line.trim()).join("\n")) }, end];
}

/** The first of these that a text has begins the next piece. An image is a link with its description. */
const PIECES = /(`+)(.+?)\1|!?\[([^\]]*)\]\(\s*([^)\s]*)[^)]*\)|(\*\*|__)(.+?)\5|~~(.+?)~~|(?<![\w*])([*_])(?=\S)(.+?)(?<=\S)\8(?!\w)|<(https?:\/\/[^>\s]+)>/s;

/** A longer paragraph is no prose, and would take long to search. */
const MAX_INLINE = 20_000;

export function parseInline(text: string, depth = 0): Inline[] {
  if (depth > MAX_DEPTH || text.length > MAX_INLINE) return [{ type: "text", text }];
  const pieces: Inline[] = [];
  let rest = text;
  for (let match = PIECES.exec(rest); match !== null; match = PIECES.exec(rest)) {
    if (match.index > 0) pieces.push({ type: "text", text: rest.slice(0, match.index) });
    pieces.push(pieceOf(match, depth + 1));
    rest = rest.slice(match.index + match[0].length);
  }
  return rest === "" ? pieces : [...pieces, { type: "text", text: rest }];
}

function pieceOf([whole, tick, code, label, href, strong, strongText, deleted, emphasis, emphasisText, bare]: (string | undefined)[], depth: number): Inline {
  if (tick !== undefined) return { type: "code", text: (code ?? "").trim() };
  if (label !== undefined) return linkOf(href ?? "", parseInline(label, depth), whole ?? "");
  if (strong !== undefined) return { type: "strong", children: parseInline(strongText ?? "", depth) };
  if (deleted !== undefined) return { type: "deleted", children: parseInline(deleted, depth) };
  if (emphasis !== undefined) return { type: "emphasis", children: parseInline(emphasisText ?? "", depth) };
  return linkOf(bare ?? "", [{ type: "text", text: bare ?? "" }], whole ?? "");
}

/** Only addresses of the web; `javascript:` and the like stay text. */
function linkOf(href: string, children: Inline[], whole: string): Inline {
  return /^(https?:\/\/|mailto:|#|\/(?!\/))/i.test(href) ? { type: "link", href, children } : { type: "text", text: whole };
}
