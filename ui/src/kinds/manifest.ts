/**
 * One text of YAML with one or several objects, which forms change in place: comments, and everything that a form has no
 * control for, stay. Pure.
 */
import { Document, LineCounter, isAlias, isMap, isNode, isScalar, isSeq, parseAllDocuments, type Node, type Scalar, type YAMLMap, type YAMLSeq } from "yaml";

export type Path = (string | number)[];

/** What a text says is an object; nothing is sure of it but that it is a mapping. */
export type ManifestObject = Record<string, unknown>;

export interface TextProblem {
  /** From 1. */
  line: number;
  code: "syntax" | "notObject" | "several";
  /** The parser's words, of a mistake in the syntax. */
  message: string;
}

export interface ParsedManifest {
  documents: Document[];
  objects: ManifestObject[];
  /** What keeps the text from being understood; there are no documents then. */
  problem: TextProblem | undefined;
}

/** `single` refuses a text of several objects. */
export function parseManifest(text: string, { single = false }: { single?: boolean } = {}): ParsedManifest {
  const lines = new LineCounter();
  const broken = (problem: TextProblem): ParsedManifest => ({ documents: [], objects: [], problem });
  const documents = [...parseAllDocuments(text, { prettyErrors: false, lineCounter: lines })].filter((one) => one.errors.length > 0 || !isEmpty(one));
  const error = documents.flatMap((one) => one.errors)[0];
  if (error !== undefined) return broken({ line: lines.linePos(error.pos[0]).line, code: "syntax", message: error.message });
  if (documents.length === 0) return broken({ line: 1, code: "notObject", message: "" });
  const lineOf = (one: Document): number => lines.linePos(one.contents?.range?.[0] ?? 0).line;
  const other = documents.find((one) => !isMap(one.contents));
  if (other !== undefined) return broken({ line: lineOf(other), code: "notObject", message: "" });
  const second = documents[1];
  if (single && second !== undefined) return broken({ line: lineOf(second), code: "several", message: "" });
  try {
    return { documents, objects: documents.map((one) => one.toJS() as ManifestObject), problem: undefined };
  } catch (reason) {
    // An alias without its anchor is only noticed when it is followed.
    return broken({ line: 1, code: "syntax", message: reason instanceof Error ? reason.message : String(reason) });
  }
}

const isEmpty = ({ contents }: Document): boolean => contents === null || (isScalar(contents) && contents.value === null);

export function manifestText(documents: Document[]): string {
  return documents
    .map((document, index) => {
      if (index > 0 && document.directives) document.directives.docStart = true;
      return document.toString({ lineWidth: 0 });
    })
    .join("");
}

export const textOfObjects = (objects: ManifestObject[]): string => manifestText(objects.map((one) => new Document(one)));

/** The documents of other objects: those that were there are changed where they differ, and nowhere else. */
export function patchDocuments(documents: Document[], objects: ManifestObject[]): Document[] {
  const left = new Set(documents);
  const known = new Map(documents.map((one) => [one, one.toJS() as ManifestObject]));
  const take = (isWanted: (known: ManifestObject) => boolean): Document | undefined => {
    const found = [...left].find((one) => isWanted(known.get(one) ?? {}));
    if (found !== undefined) left.delete(found);
    return found;
  };
  // All that keep their name are found before one that is renamed takes the place of another.
  const exact = objects.map((next) => take((one) => one["kind"] === next["kind"] && dig(one, "metadata", "name") === dig(next, "metadata", "name")));
  return objects.map((next, index) => {
    const document = exact[index] ?? take((one) => one["kind"] === next["kind"]);
    if (document === undefined) return new Document(next);
    document.contents = patched(document, document.contents, next);
    return document;
  });
}

/** The node for a value: the one that was there wherever it says the same, or holds parts that do. */
function patched(document: Document, node: unknown, next: unknown): Node {
  if (isNode(node)) {
    if (!isAlias(node) && isMap(node) && isRecord(next)) return patchedMap(document, node, next);
    if (!isAlias(node) && isSeq(node) && Array.isArray(next)) return patchedSeq(document, node, next);
    if (isSame(node.toJS(document), next)) return node;
    if (isScalar(node) && typeof next !== "object") return withValue(node, next);
  }
  return document.createNode(next);
}

/** Only the value of a scalar is changed, so that its comment stays. The quotes of an empty text are not kept. */
function withValue(node: Scalar, value: unknown): Scalar {
  if (node.value === "") delete node.type;
  node.value = value;
  return node;
}

function patchedMap(document: Document, map: YAMLMap, next: Record<string, unknown>): YAMLMap {
  const keyOf = (key: unknown): string => String(isScalar(key) ? key.value : key);
  map.items = map.items.filter((pair) => next[keyOf(pair.key)] !== undefined);
  openEmpty(map);
  const present = new Set(map.items.map((pair) => keyOf(pair.key)));
  for (const pair of map.items) pair.value = patched(document, pair.value, next[keyOf(pair.key)]);
  for (const [key, value] of Object.entries(next)) {
    if (!present.has(key) && value !== undefined) map.items.push(document.createPair(key, value));
  }
  return map;
}

/** What is added to `{}` or `[]` is written below it, as everything else. */
function openEmpty(collection: YAMLMap | YAMLSeq): void {
  if (collection.items.length === 0) collection.flow = false;
}

function patchedSeq(document: Document, seq: YAMLSeq, next: unknown[]): YAMLSeq {
  const left = seq.items.map((node) => ({ node, value: isNode(node) ? (node.toJS(document) as unknown) : node }));
  const take = (isWanted: (value: unknown, index: number) => boolean): unknown => {
    const at = left.findIndex(({ value }, index) => isWanted(value, index));
    return at < 0 ? undefined : left.splice(at, 1)[0]?.node;
  };
  openEmpty(seq);
  const isSameLength = seq.items.length === next.length;
  const exact = next.map((value) => take((one) => isSame(one, value)));
  const named = next.map((value, index) => exact[index] ?? take((one) => nameOf(one) !== undefined && nameOf(one) === nameOf(value)));
  seq.items = next.map((value, index) => patched(document, named[index] ?? (isSameLength ? take(() => true) : undefined), value));
  return seq;
}

/** By what items of a list are the same one, changed. */
const nameOf = (item: unknown): unknown => (isRecord(item) ? (item["mountPath"] ?? item["name"]) : undefined);

/** Writes a value, or removes the field for undefined and an empty text. */
export function setField(document: Document, path: Path, value: unknown): void {
  if (value === undefined || value === "") {
    if (document.hasIn(path)) document.deleteIn(path);
    return;
  }
  const present = document.getIn(path, true);
  if (typeof value !== "object" && isScalar(present)) {
    withValue(present, value);
    return;
  }
  openPath(document, path);
  document.setIn(path, document.createNode(value));
}

/** Replaces what stands in the way of a path: `labels:` without a value, or an alias of another mapping. */
function openPath(document: Document, path: Path): void {
  for (let depth = 1; depth < path.length; depth++) {
    const parent = path.slice(0, depth);
    const node = document.getIn(parent, true);
    if (node === undefined) return;
    if (isAlias(node)) document.setIn(parent, document.createNode(node.toJS(document)));
    else if (!isMap(node) && !isSeq(node)) document.setIn(parent, document.createNode(typeof path[depth] === "number" ? [] : {}));
    else openEmpty(node);
  }
}

export function textAt(document: Document, path: Path): string {
  return textOf(document.getIn(path));
}

export const textOf = (value: unknown): string => (typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "");

export const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

export const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** What is inside of an object, or undefined. */
export const dig = (value: unknown, ...path: Path): unknown =>
  path.reduce<unknown>((inside, key) => (isRecord(inside) || Array.isArray(inside) ? (inside as Record<string | number, unknown>)[key] : undefined), value);

/** Where an object is created: in the namespace that it names, else in the usual one. */
export const namespaceOf = (object: unknown, usual: string): string => textOf(dig(object, "metadata", "namespace")) || usual;

/** A mapping inside of an object that may be changed; made where there is none. */
export function within(object: Record<string, unknown>, ...path: string[]): Record<string, unknown> {
  let inside = object;
  for (const key of path) {
    const next = inside[key];
    if (isRecord(next)) inside = next;
    else inside = inside[key] = {};
  }
  return inside;
}

/** Sets a field, or removes it. */
export function assign(object: Record<string, unknown>, field: string, value: unknown): void {
  if (value === undefined) Reflect.deleteProperty(object, field);
  else object[field] = value;
}

export const without = (object: Record<string, unknown>, field: string): Record<string, unknown> => Object.fromEntries(Object.entries(object).filter(([name]) => name !== field));

/** Whether two values say the same, whatever the order of keys; absent is the same as undefined. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other)) return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  if (!isRecord(one) || !isRecord(other)) return false;
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((key) => isSame(one[key], other[key]));
}
