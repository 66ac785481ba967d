/** What a text says otherwise than its kind's schema: fields that there are not, and values of another type. Pure. */
import { isAlias, isMap, isScalar, isSeq, parseAllDocuments, type Node, type Pair } from "yaml";
import type { Schemas } from "../../api/openapi";
import { textOf } from "../../kinds/manifest";
import { isNumberOrText, resolve, type Components, type Schema } from "../form/schema";
import type { Range } from "./positions";
import { kindSchema } from "./schemaHelp";

export type SchemaProblem = Range &
  (
    | { code: "unknown"; name: string; /** The field that it resembles, or nothing. */ near: string }
    /** `expected` is the schema's type. */
    | { code: "type"; expected: string }
    | { code: "enum"; values: string[] }
  );

const EMBEDDED = ["apiVersion", "kind", "metadata"];

/** Nothing is said of a text that cannot be read, nor of kinds without a schema. */
export function schemaProblems(text: string, schemas: Schemas): SchemaProblem[] {
  return parseAllDocuments(text, { prettyErrors: false }).flatMap((document) => {
    if (document.errors.length > 0 || !isMap(document.contents)) return [];
    const known = kindSchema(schemas, textOf(document.contents.get("apiVersion")), textOf(document.contents.get("kind")));
    if (known === undefined) return [];
    // Every object has a kind and a name, whether or not its schema says so.
    const root = { ...resolve(known.schema, known.components), "x-kubernetes-embedded-resource": true };
    return problemsOf(document.contents, root, known.components);
  });
}

function problemsOf(node: unknown, schema: Schema, components: Components): SchemaProblem[] {
  const own = resolve(schema, components);
  // A field without a value is not set, and what an alias stands for is checked where it is written.
  if (node === null || node === undefined || isAlias(node) || (isScalar(node) && node.value === null)) return [];
  const range = rangeOf(node as Node);
  const expected = mismatch(node, own);
  if (expected !== undefined) return [{ ...range, code: "type", expected }];
  if (isScalar(node) && own.enum !== undefined && own.enum.length > 0 && !own.enum.includes(node.value)) return [{ ...range, code: "enum", values: own.enum.map(String) }];
  if (isSeq(node)) return own.items === undefined ? [] : node.items.flatMap((item) => problemsOf(item, own.items ?? {}, components));
  return isMap(node) ? node.items.flatMap((pair) => pairProblems(pair, own, components)) : [];
}

function pairProblems(pair: Pair, own: Schema, components: Components): SchemaProblem[] {
  const name = String(isScalar(pair.key) ? pair.key.value : pair.key);
  const property = own.properties?.[name] ?? (typeof own.additionalProperties === "object" ? own.additionalProperties : undefined);
  if (property !== undefined) return problemsOf(pair.value, property, components);
  const isOpen = own.properties === undefined || own.additionalProperties === true || own["x-kubernetes-preserve-unknown-fields"] === true;
  if (isOpen || (own["x-kubernetes-embedded-resource"] === true && EMBEDDED.includes(name))) return [];
  return [{ ...rangeOf(pair.key as Node), code: "unknown", name, near: nearest(name, Object.keys(own.properties ?? {})) }];
}

const rangeOf = (node: Node): Range => ({ from: node.range?.[0] ?? 0, to: node.range?.[1] ?? 0 });

/** The type that a value should have and has not. */
function mismatch(node: unknown, own: Schema): string | undefined {
  if (isNumberOrText(own)) return isScalar(node) && ["string", "number", "bigint"].includes(typeof node.value) ? undefined : "string";
  if (own.type === undefined || own.oneOf !== undefined || own.anyOf !== undefined) return undefined;
  const value = isScalar(node) ? node.value : undefined;
  const isRight =
    own.type === "array"
      ? isSeq(node)
      : own.type === "object"
        ? isMap(node)
        : own.type === "string"
          ? typeof value === "string" || value instanceof Date
          : own.type === "boolean"
            ? typeof value === "boolean"
            : own.type === "integer"
              ? Number.isInteger(value)
              : own.type === "number"
                ? typeof value === "number"
                : true;
  return isRight ? undefined : own.type;
}

const MAX_DISTANCE = 2;

/** A name that differs only in case, or by a letter or two. */
export function nearest(name: string, names: string[]): string {
  const same = names.find((one) => one.toLowerCase() === name.toLowerCase());
  if (same !== undefined) return same;
  const closest = names.map((one) => ({ one, distance: distance(name, one) })).sort((a, b) => a.distance - b.distance)[0];
  return closest !== undefined && closest.distance <= MAX_DISTANCE && closest.distance < name.length / 2 ? closest.one : "";
}

/** How many letters have to be put in, left out or changed (Levenshtein). Row by row: `row[j]` is that of the prefix so far and `other`'s first j letters. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const changed = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
