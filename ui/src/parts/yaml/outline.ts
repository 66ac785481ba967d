/**
 * The shape of a YAML text by its lines, also while a line is being typed and no parser takes the text: which field a
 * line has, and inside of what. Block style only: inside of `{…}` and `[…]` nothing is known. Pure.
 */

export type Path = (string | number)[];

export interface LineOutline {
  /** Offset of the line's first character. */
  from: number;
  text: string;
  /** Number of the document, from 0. */
  document: number;
  /** Inside of what the line's field is, or the item of a list that is no field. */
  parent: Path;
  key: string | undefined;
  /** Columns of the key or, without one, of what stands there. */
  keyColumn: number;
  /** Where the value begins; undefined where there is no colon. */
  valueColumn: number | undefined;
}

interface Level {
  column: number;
  /** A key of a mapping, or a place in a list. */
  at: string | number;
}

const KEY = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#'"[\]{},&*!|>%@`:][^:#]*?)\s*:(?=\s|$)/;
const BLOCK_TEXT = /^[|>][-+0-9]*\s*(?:#.*)?$/;
const START = /^---(?:\s|$)/;

/** The lines that have structure: none of comments, and none inside of a block of text. `cursor` is a line that is kept even if it is empty. */
export function outline(text: string, cursor = -1): LineOutline[] {
  const lines: LineOutline[] = [];
  let levels: Level[] = [];
  let document = 0;
  let hasContent = false;
  let blockIndent: number | undefined;
  let from = 0;
  for (const line of text.split("\n")) {
    const start = from;
    from += line.length + 1;
    const isCursor = cursor >= start && cursor < from;
    const indent = line.length - line.trimStart().length;
    if (blockIndent !== undefined) {
      if (line.trim() === "" || indent > blockIndent) continue;
      blockIndent = undefined;
    }
    if (START.test(line)) {
      if (hasContent) document += 1;
      levels = [];
      hasContent = false;
      continue;
    }
    if (line.trimStart().startsWith("#") || (line.trim() === "" && !isCursor)) continue;
    hasContent ||= line.trim() !== "";
    // What stands after the cursor on an empty line does not count as indentation.
    const found = read(line, levels, line.trim() === "" ? cursor - start : undefined);
    levels = found.levels;
    if (found.value !== undefined && BLOCK_TEXT.test(found.value)) blockIndent = found.owner;
    lines.push({ from: start, text: line, document, parent: found.parent, key: found.key, keyColumn: found.column, valueColumn: found.valueColumn });
  }
  return lines;
}

interface ReadLine {
  levels: Level[];
  parent: Path;
  key: string | undefined;
  column: number;
  valueColumn: number | undefined;
  value: string | undefined;
  /** The indentation that a block of text below this line has to exceed. */
  owner: number;
}

function read(line: string, before: Level[], width: number | undefined): ReadLine {
  const indent = line.length - line.trimStart().length;
  let column = width ?? indent;
  let levels = before;
  while (line[column] === "-" && (line[column + 1] === " " || line[column + 1] === undefined)) {
    const dash = column;
    // A list may be as far to the right as the key that it belongs to.
    levels = levels.filter((level) => level.column <= dash);
    const last = levels.at(-1);
    const isNext = last !== undefined && last.column === dash && typeof last.at === "number";
    levels = isNext ? [...levels.slice(0, -1), { column: dash, at: Number(last.at) + 1 }] : [...levels, { column: dash, at: 0 }];
    column += 1;
    while (line[column] === " ") column += 1;
  }
  const rest = line.slice(column);
  const match = KEY.exec(rest);
  const parents = levels.filter((level) => level.column < column);
  const parent = parents.map((level) => level.at);
  if (match === null) return { levels: parents, parent, key: undefined, column, valueColumn: undefined, value: rest, owner: indent };
  const key = unquoted(match[1] ?? "");
  const afterColon = column + match[0].length;
  const space = /^\s*/.exec(line.slice(afterColon))?.[0].length ?? 0;
  return { levels: [...parents, { column, at: key }], parent, key, column, valueColumn: afterColon + space, value: line.slice(afterColon + space), owner: column };
}

const unquoted = (key: string): string => (/^".*"$/s.test(key) || /^'.*'$/s.test(key) ? key.slice(1, -1) : key);

export interface Cursor {
  document: number;
  /** Of the mapping whose field is being written, or of the field whose value is. */
  path: Path;
  role: "key" | "value";
  from: number;
  word: string;
  /** Column of the keys of this mapping. */
  column: number;
  /** Keys that the mapping has already. */
  siblings: Set<string>;
}

/** What is being written at a place of the text; undefined where nothing can be said about it. */
export function cursorAt(text: string, position: number): Cursor | undefined {
  const lineStart = text.lastIndexOf("\n", position - 1) + 1;
  const before = text.slice(lineStart, position);
  const lineEnd = text.indexOf("\n", position);
  const after = text.slice(position, lineEnd < 0 ? text.length : lineEnd);
  // As if the line ended here: what is behind is what will be replaced, or belongs to something else.
  const lines = outline(text.slice(0, position) + (lineEnd < 0 ? "" : text.slice(lineEnd)), position);
  const line = lines.find((one) => one.from === lineStart);
  if (line === undefined || /(?:^|\s)#/.test(before) || /[[{]/.test(before.slice(line.keyColumn))) return undefined;
  if (line.key !== undefined && line.valueColumn !== undefined) {
    const from = lineStart + Math.min(line.valueColumn, before.length);
    return { document: line.document, path: [...line.parent, line.key], role: "value", from, word: text.slice(from, position), column: line.keyColumn, siblings: new Set() };
  }
  if (/^\s*\S*:/.test(after)) return undefined;
  const same = (one: LineOutline): boolean => one !== line && one.document === line.document && one.key !== undefined && JSON.stringify(one.parent) === JSON.stringify(line.parent);
  const siblings = new Set(lines.filter(same).map((one) => one.key ?? ""));
  return { document: line.document, path: line.parent, role: "key", from: lineStart + line.keyColumn, word: before.slice(line.keyColumn), column: line.keyColumn, siblings };
}

/** The field whose key is at a place of the text. */
export function keyAt(text: string, position: number): { document: number; path: Path; from: number; to: number } | undefined {
  const line = outline(text).find((one) => position >= one.from && position <= one.from + one.text.length);
  if (line?.key === undefined || line.valueColumn === undefined) return undefined;
  const from = line.from + line.keyColumn;
  const to = from + line.text.slice(line.keyColumn).search(/:(?:\s|$)/);
  return position < from || position > to ? undefined : { document: line.document, path: [...line.parent, line.key], from, to };
}

/** `apiVersion` and `kind` of each document. */
export function kindsIn(text: string): { apiVersion: string; kind: string }[] {
  const kinds: { apiVersion: string; kind: string }[] = [];
  for (const line of outline(text)) {
    const own = (kinds[line.document] ??= { apiVersion: "", kind: "" });
    if (line.parent.length > 0 || (line.key !== "apiVersion" && line.key !== "kind")) continue;
    own[line.key] = unquoted(line.text.slice(line.valueColumn).replace(/\s+#.*$/, "").trim());
  }
  return kinds;
}
