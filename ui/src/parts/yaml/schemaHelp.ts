/** What a kind's schema says about a place in a text: fields and values to write there, and the description of a field. Pure. */
import type { Schemas } from "../../api/openapi";
import { apiVersionParts, fieldsOfSchema, isNumberOrText, resolve, schemaAt, schemaOfKind, type Components, type Schema } from "../form/schema";
import { cursorAt, keyAt, kindsIn, type Path } from "./outline";

export interface KindSchema {
  schema: Schema;
  components: Components;
}

/** The schema of a kind, if it has been fetched. */
export function kindSchema(schemas: Schemas, apiVersion: string, kind: string): KindSchema | undefined {
  const components = schemas[apiVersion];
  const { group, version } = apiVersionParts(apiVersion);
  const schema = components && schemaOfKind(components, group, version, kind);
  return components && schema && { schema, components };
}

/** `string`, `integer`, `[]string`, `map[string]string`, `object`: as `kubectl explain` writes types. */
export function typeOf(schema: Schema, components: Components): string {
  const own = resolve(schema, components);
  if (isNumberOrText(own)) return "int-or-string";
  if (own.type === "array") return `[]${own.items === undefined ? "object" : typeOf(own.items, components)}`;
  if (own.properties === undefined && typeof own.additionalProperties === "object") return `map[string]${typeOf(own.additionalProperties, components)}`;
  return own.type ?? "object";
}

export interface Suggestion {
  label: string;
  detail: string;
  info: string;
  /** What is written. */
  insert: string;
}

/** What could be written where the cursor is, and the place of what it would replace. */
export function suggestionsAt(text: string, position: number, schemas: Schemas): { from: number; word: string; suggestions: Suggestion[] } | undefined {
  const cursor = cursorAt(text, position);
  if (cursor === undefined) return undefined;
  const { apiVersion, kind } = kindsIn(text)[cursor.document] ?? { apiVersion: "", kind: "" };
  const known = kindSchema(schemas, apiVersion, kind);
  const schema = known && schemaAt(known.schema, known.components, cursor.path);
  if (known === undefined || schema === undefined) return undefined;
  const { components } = known;
  const values = valuesOf(schema).map((value) => ({ label: value, detail: "", info: "", insert: value }));
  const suggestions =
    cursor.role === "value" || values.length > 0
      ? values
      : fieldsOfSchema(schema, components)
          .filter((field) => !cursor.siblings.has(field.name))
          .map((field) => ({
            label: field.name,
            detail: typeOf(field.schema, components),
            info: field.description,
            insert: `${field.name}:${openingOf(field.schema, " ".repeat(cursor.column))}`,
          }));
  return suggestions.length === 0 ? undefined : { from: cursor.from, word: cursor.word, suggestions };
}

const valuesOf = (schema: Schema): string[] =>
  schema.enum !== undefined ? schema.enum.map((value) => (value === "" ? '""' : String(value))) : schema.type === "boolean" ? ["true", "false"] : [];

/** What comes after the colon of a new field, up to where the next is written. */
function openingOf(schema: Schema, indent: string): string {
  if (schema.type === "array") return `\n${indent}  - `;
  const isMapping = schema.properties !== undefined || (schema.type === "object" && !isNumberOrText(schema));
  return isMapping ? `\n${indent}  ` : " ";
}

export interface FieldMeaning {
  from: number;
  to: number;
  name: string;
  type: string;
  description: string;
  values: string[];
  byDefault: string;
  isRequired: boolean;
}

/** The description of the field whose key is at a place. */
export function meaningAt(text: string, position: number, schemas: Schemas): FieldMeaning | undefined {
  const found = keyAt(text, position);
  const { apiVersion, kind } = (found && kindsIn(text)[found.document]) ?? { apiVersion: "", kind: "" };
  const known = kindSchema(schemas, apiVersion, kind);
  if (found === undefined || known === undefined) return undefined;
  const schema = schemaAt(known.schema, known.components, found.path);
  if (schema === undefined) return undefined;
  const name = String(found.path.at(-1));
  const parent = schemaAt(known.schema, known.components, found.path.slice(0, -1));
  return {
    from: found.from,
    to: found.to,
    name: pathName(found.path),
    type: typeOf(schema, known.components),
    description: schema.description ?? "",
    values: schema.enum === undefined ? [] : valuesOf(schema),
    byDefault: schema.default === undefined ? "" : JSON.stringify(schema.default),
    isRequired: parent?.required?.includes(name) ?? false,
  };
}

/** `containers[0].image`, without what it is inside of far up. */
const pathName = (path: Path): string => path.reduce<string>((text, key) => (typeof key === "number" ? `${text}[]` : text === "" ? key : `${text}.${key}`), "");

