import { describe, expect, it } from "vitest";
import { fieldsOfSchema, firstSentence, pathText, problemAt, resolve, schemaOfKind, shapeOf, type Schema } from "./schema";

const COMPONENTS: Record<string, Schema> = {
  "org.kubeflow.v1.TFJob": { type: "object", properties: { spec: { $ref: "#/components/schemas/Spec" } } },
  Spec: {
    type: "object",
    required: ["replicas"],
    properties: {
      suspend: { type: "boolean", description: "Whether it is suspended. A suspended job has no pods." },
      replicas: { type: "integer" },
      meta: { description: "Mine.", allOf: [{ $ref: "#/components/schemas/Meta" }] },
      list: { type: "array", items: { $ref: "#/components/schemas/Meta" } },
    },
  },
  Meta: { type: "object", description: "Theirs.", properties: { name: { type: "string" } } },
};

describe("the shape of a field", () => {
  it.each<[Schema, string]>([
    [{ type: "string" }, "text"],
    [{ type: "string", enum: ["a"] }, "choice"],
    [{ "x-kubernetes-int-or-string": true }, "text"],
    [{ type: "integer" }, "number"],
    [{ type: "boolean" }, "flag"],
    [{ type: "array", items: { type: "string" } }, "texts"],
    [{ type: "array", items: { type: "object", properties: {} } }, "list"],
    [{ type: "object", properties: {} }, "object"],
    [{ type: "object", additionalProperties: { type: "string" } }, "map"],
    [{ type: "object", "x-kubernetes-preserve-unknown-fields": true }, "yaml"],
  ])("%j is %s", (schema, shape) => expect(shapeOf(schema)).toBe(shape));
});

it("follows references, with the description of the place", () =>
  expect(resolve({ description: "Mine.", allOf: [{ $ref: "#/components/schemas/Meta" }] }, COMPONENTS)).toEqual({ ...COMPONENTS["Meta"], description: "Mine." }));

it("lists required fields first, with the first sentence of their description", () =>
  expect(fieldsOfSchema({ $ref: "#/components/schemas/Spec" }, COMPONENTS).map((field) => [field.name, field.shape, field.description])).toEqual([
    ["replicas", "number", ""],
    ["suspend", "flag", "Whether it is suspended."],
    ["meta", "object", "Mine."],
    ["list", "list", ""],
  ]));

it("finds the schema of a kind", () => {
  expect(schemaOfKind(COMPONENTS, "kubeflow.org", "v1", "TFJob")).toBe(COMPONENTS["org.kubeflow.v1.TFJob"]);
  expect(schemaOfKind(COMPONENTS, "kubeflow.org", "v1", "Other")).toBeUndefined();
});

it("names fields as the server does", () => {
  expect(pathText(["spec", "tasks", 0, "replicas"])).toBe("spec.tasks[0].replicas");
  expect(problemAt([{ path: "spec.tfReplicaSpecs[PS].replicas", message: "no" }], ["spec", "tfReplicaSpecs", "PS", "replicas"])).toBe("no");
  expect(problemAt([], ["spec"])).toBeUndefined();
  expect(firstSentence("No end")).toBe("No end");
});
