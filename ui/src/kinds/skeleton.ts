/** The text with which a new object of any kind begins: what its schema requires, and in comments what it allows. Pure. */
import { stringify } from "yaml";
import { fieldsOfSchema, resolve, schemaOfKind, type Components, type Schema } from "../parts/form/schema";

interface Wanted {
  group: string;
  version: string;
  kind: string;
  namespaced: boolean;
}

const MAX_DEPTH = 8;
const MAX_HINT = 90;
/** What every object has, and what is not for people to write. */
const COMMON = new Set(["apiVersion", "kind", "metadata", "status"]);

/** A value that has all that is required, and nothing else. */
function requiredOf(schema: Schema, components: Components, depth = 0): unknown {
  const own = resolve(schema, components);
  if (own.default !== undefined) return own.default;
  if (own.enum !== undefined && own.enum.length > 0) return own.enum[0];
  if (own["x-kubernetes-int-or-string"]) return "";
  switch (own.type) {
    case "string":
      return "";
    case "integer":
    case "number":
      return 0;
    case "boolean":
      return false;
    case "array": {
      const item = own.items === undefined ? undefined : resolve(own.items, components);
      return item?.required?.length && depth < MAX_DEPTH ? [requiredOf(item, components, depth + 1)] : [];
    }
  }
  if (depth >= MAX_DEPTH) return {};
  // A template of pods requires nothing by its schema, and does by its meaning.
  const names = [...new Set([...(own.required ?? []), ...(own.properties?.["spec"] === undefined ? [] : ["spec"])])];
  return Object.fromEntries(names.map((name) => [name, requiredOf(own.properties?.[name] ?? {}, components, depth + 1)]));
}

/** `# replicas (integer): How many pods there are.` */
function hintsOf(schema: Schema | undefined, components: Components, indent: string): string[] {
  if (schema === undefined) return [];
  return fieldsOfSchema(schema, components)
    .filter((field) => !field.isRequired)
    .map(({ name, schema: own, description }) => {
      const said = description.replaceAll(/\s+/g, " ");
      const cut = said.length > MAX_HINT ? `${said.slice(0, MAX_HINT)}…` : said;
      return `${indent}# ${name}${own.type === undefined ? "" : ` (${own.type})`}${cut === "" ? "" : `: ${cut}`}`;
    });
}

/** `optional` heads the list of what may be added. */
export function skeletonOf(components: Components, wanted: Wanted, namespace: string, optional: string): string {
  const { group, version, kind, namespaced } = wanted;
  const schema = schemaOfKind(components, group, version, kind);
  const fields = schema === undefined ? [] : fieldsOfSchema(schema, components).filter((field) => !COMMON.has(field.name));
  const head = { apiVersion: group === "" ? version : `${group}/${version}`, kind, metadata: { name: "", ...(namespaced ? { namespace } : {}) } };
  const shown = fields.filter((field) => field.isRequired || field.name === "spec");
  const body = Object.fromEntries(shown.map((field) => [field.name, requiredOf(field.schema, components)]));
  const spec = fields.find((field) => field.name === "spec");
  const others = fields.filter((field) => !shown.includes(field)).map((field) => `# ${field.name}${field.schema.type === undefined ? "" : ` (${field.schema.type})`}`);
  const hints = [...hintsOf(spec?.schema, components, "  "), ...others];
  return [stringify({ ...head, ...body }, { lineWidth: 0 }).trimEnd(), ...(hints.length > 0 ? [`  # ${optional}`.trimEnd(), ...hints] : []), ""].join("\n");
}
