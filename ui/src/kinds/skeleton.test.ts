import { expect, test } from "vitest";
import { parse } from "yaml";
import type { Components } from "../parts/form/schema";
import { skeletonOf } from "./skeleton";

const COMPONENTS: Components = {
  "io.example.v1.Widget": {
    type: "object",
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { type: "object" },
      spec: { $ref: "#/components/schemas/io.example.v1.WidgetSpec" },
      status: { type: "object" },
      data: { type: "object" },
    },
    "x-kubernetes-group-version-kind": [{ group: "example.io", version: "v1", kind: "Widget" }],
  } as Components[string],
  "io.example.v1.WidgetSpec": {
    type: "object",
    required: ["template", "size", "ports"],
    properties: {
      template: { type: "object", required: ["image"], properties: { image: { type: "string" }, args: { type: "array", items: { type: "string" } } } },
      size: { type: "integer", default: 3 },
      ports: { type: "array", items: { type: "object", required: ["port"], properties: { port: { type: "integer" } } } },
      policy: { type: "string", enum: ["A", "B"], description: "How it is\n restarted. More about that." },
      self: { $ref: "#/components/schemas/io.example.v1.WidgetSpec" },
    },
  },
};
const WIDGET = { group: "example.io", version: "v1", kind: "Widget", namespaced: true };

test("a skeleton has what is required, and names what is allowed", () => {
  const text = skeletonOf(COMPONENTS, WIDGET, "ml", "You may add:");

  expect(parse(text)).toEqual({
    apiVersion: "example.io/v1",
    kind: "Widget",
    metadata: { name: "", namespace: "ml" },
    spec: { template: { image: "" }, size: 3, ports: [{ port: 0 }] },
  });
  expect(text).toContain("  # policy (string): How it is restarted.");
  expect(text).not.toContain("status");
});

test("a template begins with its containers", () => {
  const pod = { type: "object", required: ["containers"], properties: { containers: { type: "array", items: { type: "object", required: ["name"], properties: { name: { type: "string" } } } } } };
  const spec = { type: "object", required: ["template"], properties: { template: { type: "object", properties: { metadata: { type: "object" }, spec: pod } } } };
  const components: Components = { "io.example.v1.Widget": { ...COMPONENTS["io.example.v1.Widget"], properties: { spec } } };

  expect(parse(skeletonOf(components, WIDGET, "ml", ""))).toMatchObject({ spec: { template: { spec: { containers: [{ name: "" }] } } } });
});

test("of a kind without a schema there are its names", () => {
  expect(parse(skeletonOf({}, { ...WIDGET, namespaced: false }, "ml", ""))).toEqual({ apiVersion: "example.io/v1", kind: "Widget", metadata: { name: "" } });
});

test("a schema that requires itself ends", () => {
  const endless: Components = { "io.example.v1.Widget": { ...COMPONENTS["io.example.v1.Widget"], properties: { spec: { $ref: "#/components/schemas/a" } } }, a: { type: "object", required: ["a"], properties: { a: { $ref: "#/components/schemas/a" } } } };

  expect(skeletonOf(endless, WIDGET, "ml", "").length).toBeLessThan(1_000);
});
