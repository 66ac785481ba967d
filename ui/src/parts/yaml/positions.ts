/** Where fields are in a YAML text. Pure. */
import { isMap, isScalar, parseAllDocuments, type Node, type Pair, type YAMLMap } from "yaml";
import type { FieldCause } from "../../api/errors";

/** Something that the server says about a field: `spec.tfReplicaSpecs.PS.replicas`, `spec.containers[0].image`. */
export type FieldProblem = FieldCause;

export interface Range {
  from: number;
  to: number;
}

/** `spec.containers[0].image` and `spec.labels[a.b/c]` as keys. */
export function pathKeys(path: string): (string | number)[] {
  const keys: (string | number)[] = [];
  for (const [, name, bracketed] of path.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)) {
    const key = name ?? bracketed ?? "";
    keys.push(name === undefined && /^\d+$/.test(key) ? Number(key) : key.replace(/^["']|["']$/g, ""));
  }
  return keys;
}

/** The text of the deepest part of the path that there is in the first object: a missing field is shown at its parent's key. */
export function rangeOf(text: string, path: string): Range {
  let node: unknown = parseAllDocuments(text)[0]?.contents;
  let range: Range = { from: 0, to: lineEnd(text, 0) };
  for (const key of pathKeys(path)) {
    if (isMap(node)) {
      const pair = pairOf(node, String(key));
      if (pair === undefined) return range;
      const at = (pair.key as Node).range;
      if (at) range = { from: at[0], to: lineEnd(text, at[0]) };
      node = pair.value;
    } else {
      node = (node as { items?: unknown[] } | null)?.items?.[Number(key)];
      const at = (node as Node | undefined)?.range;
      if (!at) return range;
      range = { from: at[0], to: lineEnd(text, at[0]) };
    }
  }
  return range;
}

function pairOf(map: YAMLMap, name: string): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === name);
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

/** What nobody reads at first: `metadata.managedFields` and `status`, as ranges to fold. */
export function foldRanges(text: string): Range[] {
  const ranges: Range[] = [];
  for (const match of text.matchAll(/^( *)(managedFields|status):[ \t]*$/gm)) {
    const indent = (match[1] ?? "").length;
    if (match[2] === "status" ? indent !== 0 : indent === 0) continue;
    const from = match.index + match[0].length;
    const to = blockEnd(text, from, indent);
    if (to > from) ranges.push({ from, to });
  }
  return ranges;
}

/** The end of the last line after `from` that belongs to a key of this indentation. */
function blockEnd(text: string, from: number, indent: number): number {
  let end = from;
  while (end < text.length) {
    const start = end + 1;
    const stop = lineEnd(text, start);
    const line = text.slice(start, stop);
    const depth = line.length - line.trimStart().length;
    const isInside = line.trim() === "" || depth > indent || (depth === indent && line.trimStart().startsWith("- "));
    if (start > text.length || !isInside) break;
    end = stop;
  }
  return end;
}

/** The smallest replacement that makes one text the other, so that the cursor stays where it is. */
export function difference(before: string, after: string): { from: number; to: number; insert: string } | undefined {
  if (before === after) return undefined;
  let from = 0;
  while (from < before.length && from < after.length && before[from] === after[from]) from++;
  let tail = 0;
  while (tail < before.length - from && tail < after.length - from && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return { from, to: before.length - tail, insert: after.slice(from, after.length - tail) };
}

/** The first mistake in the text itself. */
export function syntaxProblem(text: string): (Range & { message: string }) | undefined {
  const error = parseAllDocuments(text, { prettyErrors: false }).flatMap((document) => document.errors)[0];
  if (error === undefined) return undefined;
  return { from: error.pos[0], to: Math.max(error.pos[1], error.pos[0]), message: error.message };
}
