/** OpenAPI schemas of kinds as fields of a form. Pure. */

export interface Schema {
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  enum?: unknown[];
  default?: unknown;
  format?: string;
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  $ref?: string;
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-embedded-resource"?: boolean;
}

export type Components = Record<string, Schema>;

/** How a field is edited. What has no control of its own is edited as YAML. */
export type Shape = "text" | "number" | "flag" | "choice" | "object" | "texts" | "map" | "list" | "entries" | "yaml";

export interface Field {
  name: string;
  shape: Shape;
  schema: Schema;
  description: string;
  isRequired: boolean;
}

const REF = "#/components/schemas/";

/** The schema behind `$ref` and a single `allOf`; its own description wins. */
export function resolve(schema: Schema, components: Components): Schema {
  const target = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
  if (target === undefined || !target.startsWith(REF)) return schema;
  const found = components[target.slice(REF.length)];
  if (found === undefined) return schema;
  return { ...resolve(found, components), ...(schema.description === undefined ? {} : { description: schema.description }) };
}

/** Kubernetes' IntOrString and Quantity, which may be written as a number or as a text. */
export const isNumberOrText = (schema: Schema): boolean =>
  schema["x-kubernetes-int-or-string"] === true || schema.format === "int-or-string" || [schema.oneOf, schema.anyOf].some((list) => list?.some((one) => one.type === "string") && list.some((one) => one.type === "integer" || one.type === "number"));

export function shapeOf(schema: Schema): Shape {
  if (isNumberOrText(schema)) return "text";
  if (schema.enum !== undefined && schema.enum.length > 0) return "choice";
  if (schema.type === "string") return "text";
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.type === "boolean") return "flag";
  if (schema.type === "array") return schema.items?.type === "string" ? "texts" : "list";
  if (schema.properties !== undefined) return "object";
  if (typeof schema.additionalProperties === "object" && isText(schema.additionalProperties)) return "map";
  if (typeof schema.additionalProperties === "object" && schema.additionalProperties.properties !== undefined) return "entries";
  return "yaml";
}

const isText = (schema: Schema): boolean => schema.type === "string" || isNumberOrText(schema);

/** The fields of an object, required ones first, else in the order of the schema. */
export function fieldsOfSchema(schema: Schema, components: Components): Field[] {
  const resolved = resolve(schema, components);
  const required = new Set(resolved.required ?? []);
  const fields = Object.entries(resolved.properties ?? {}).map(([name, property]) => {
    const own = resolve(property, components);
    const items = own.items && resolve(own.items, components);
    const entries = typeof own.additionalProperties === "object" ? resolve(own.additionalProperties, components) : undefined;
    const full = { ...own, ...(items === undefined ? {} : { items }), ...(entries === undefined ? {} : { additionalProperties: entries }) };
    return { name, shape: shapeOf(full), schema: full, description: firstSentence(own.description ?? ""), isRequired: required.has(name) };
  });
  return [...fields.filter((field) => field.isRequired), ...fields.filter((field) => !field.isRequired)];
}

export const firstSentence = (text: string): string => /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;

/** The schema of a kind in the OpenAPI document of its group and version. */
export function schemaOfKind(components: Components, group: string, version: string, kind: string): Schema | undefined {
  const marked = Object.values(components).find((schema) =>
    ((schema as { "x-kubernetes-group-version-kind"?: { group: string; version: string; kind: string }[] })["x-kubernetes-group-version-kind"] ?? []).some(
      (one) => one.group === group && one.version === version && one.kind === kind,
    ),
  );
  return marked ?? components[`${group.split(".").reverse().join(".")}.${version}.${kind}`];
}

/** `apps/v1` and `v1` as group and version. */
export function apiVersionParts(apiVersion: string): { group: string; version: string } {
  const at = apiVersion.lastIndexOf("/");
  return { group: apiVersion.slice(0, Math.max(at, 0)), version: apiVersion.slice(at + 1) };
}

/** The schema of what is inside of an object; undefined where its schema says nothing about it. */
export function schemaAt(schema: Schema, components: Components, path: (string | number)[]): Schema | undefined {
  let inside: Schema | undefined = resolve(schema, components);
  for (const key of path) {
    if (inside === undefined) return undefined;
    const more: Schema | boolean | undefined = inside.additionalProperties;
    const next: Schema | undefined = typeof key === "number" ? inside.items : (inside.properties?.[key] ?? (typeof more === "object" ? more : undefined));
    inside = next && resolve(next, components);
  }
  return inside;
}

/** `spec.a[0].b` of a path, as servers write fields. */
export function pathText(path: (string | number)[]): string {
  return path.reduce<string>((text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? key : `${text}.${key}`), "");
}

/** What is said about a field; brackets round names mean the same as dots. */
export function problemAt(problems: { path: string; message: string }[], path: (string | number)[]): string | undefined {
  const wanted = plain(pathText(path));
  return problems.find((problem) => plain(problem.path) === wanted)?.message;
}

const plain = (path: string): string => path.replaceAll(/\[(\w+)\]/g, ".$1");
