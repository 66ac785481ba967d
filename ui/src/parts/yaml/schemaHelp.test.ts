import { describe, expect, it } from "vitest";
import type { Components } from "../form/schema";
import { cursorAt, kindsIn, outline } from "./outline";
import { meaningAt, suggestionsAt } from "./schemaHelp";
import { nearest, schemaProblems } from "./schemaLint";

const SCHEMAS: Record<string, Components> = {
  "example.io/v1": {
    "io.example.v1.Widget": {
      type: "object",
      properties: {
        kind: { type: "string" },
        metadata: { $ref: "#/components/schemas/Meta" },
        spec: { allOf: [{ $ref: "#/components/schemas/Spec" }], description: "What it should be." },
      },
      "x-kubernetes-group-version-kind": [{ group: "example.io", version: "v1", kind: "Widget" }],
    } as Components[string],
    Meta: { type: "object", properties: { name: { type: "string" }, labels: { type: "object", additionalProperties: { type: "string" } } } },
    Spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", description: "How large it is.\nIn pixels.", default: 3 },
        policy: { type: "string", enum: ["Always", "Never"] },
        suspend: { type: "boolean" },
        containers: { type: "array", items: { $ref: "#/components/schemas/Container" } },
        modes: { type: "array", items: { type: "string", enum: ["A", "B"] } },
        port: { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
        limits: { type: "object", additionalProperties: { oneOf: [{ type: "string" }, { type: "number" }] } },
        anything: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { known: { type: "string" } } },
      },
    },
    Container: { type: "object", properties: { name: { type: "string" }, image: { type: "string", description: "The image." }, env: { type: "array", items: { type: "object", properties: { name: { type: "string" }, value: { type: "string" } } } } } },
  },
};
const HEAD = "apiVersion: example.io/v1\nkind: Widget\n";

/** The text with a `|` where the cursor is. */
const at = (text: string): [string, number] => [text.replace("|", ""), text.indexOf("|")];
const labels = (text: string): string[] | undefined => suggestionsAt(...at(HEAD + text), SCHEMAS)?.suggestions.map((one) => one.label);

describe("the outline of a text", () => {
  it.each([
    ["a:\n  b: 1\n  c: 2\nd: 3", [[], ["a"], ["a"], []]],
    ["a:\n- b: 1\n  c: 2\n- b: 3\nd: 4", [[], ["a", 0], ["a", 0], ["a", 1], []]],
    ["a:\n  - b:\n      c: 1\n    d:\n    - e: 2", [[], ["a", 0], ["a", 0, "b"], ["a", 0], ["a", 0, "d", 0]]],
    ["a:\n  - - b: 1\n    - c: 2", [[], ["a", 0, 0], ["a", 0, 1]]],
    ["run: |\n  if: x\n  else: y\nnext: 1", [[], []]],
    ["# a: 1\n\n\"b/c\": 1", [[]]],
  ])("%j", (text, parents) => expect(outline(text).map((line) => line.parent)).toEqual(parents));

  it("has the kinds of all documents", () =>
    expect(kindsIn('---\napiVersion: v1\nkind: Pod # one\n---\nkind: "Widget"\napiVersion: a/v1\nmetadata:\n  kind: no\n')).toEqual([
      { apiVersion: "v1", kind: "Pod" },
      { apiVersion: "a/v1", kind: "Widget" },
    ]));

  it("knows nothing of what is inside of braces and comments", () => {
    expect(cursorAt(...at("a: {b|"))).toBeUndefined();
    expect(cursorAt(...at("a: 1 # b|"))).toBeUndefined();
    expect(cursorAt(...at("a: |-\n  b|".replace("|-", ">-")))).toBeUndefined();
  });
});

describe("suggestions", () => {
  it.each([
    ["sp|", ["metadata", "spec"]],
    ["spec:\n  s|", ["size", "policy", "suspend", "containers", "modes", "port", "limits", "anything"]],
    ["spec:\n  size: 1\n  |\n  policy: Never", ["suspend", "containers", "modes", "port", "limits", "anything"]],
    ["spec:\n  policy: |", ["Always", "Never"]],
    ["spec:\n  policy: A|", ["Always", "Never"]],
    ["spec:\n  suspend: t|", ["true", "false"]],
    ["spec:\n  modes:\n    - |", ["A", "B"]],
    ["spec:\n  containers:\n    - |", ["name", "image", "env"]],
    ["spec:\n  containers:\n    - name: a\n      |", ["image", "env"]],
    ["spec:\n  containers:\n    - name: a\n    - name: b\n      i|", ["image", "env"]],
    ["spec:\n  containers:\n  - env:\n    - n|", ["name", "value"]],
    ["spec:\n  size: |", undefined],
    ["spec:\n  unknown:\n    |", undefined],
    ["metadata:\n  labels:\n    a|", undefined],
  ])("%j", (text, expected) => expect(labels(text)).toEqual(expected));

  it("open what they begin", () => {
    const inserts = Object.fromEntries((suggestionsAt(...at(`${HEAD}spec:\n  |`), SCHEMAS)?.suggestions ?? []).map((one) => [one.label, one.insert]));
    expect(inserts).toMatchObject({ size: "size: ", containers: "containers:\n    - ", limits: "limits:\n    ", port: "port: " });
  });

  it("are those of the document that the cursor is in", () => {
    expect(suggestionsAt(...at(`apiVersion: v1\nkind: Other\nspec:\n  a: 1\n---\n${HEAD}spec:\n  po|`), SCHEMAS)?.suggestions.length).toBe(8);
    expect(suggestionsAt(...at(`${HEAD}---\napiVersion: v1\nkind: Other\nspec:\n  po|`), SCHEMAS)).toBeUndefined();
  });
});

describe("the description of a field", () => {
  it.each([
    ["spec:\n  si|ze: 1", { name: "spec.size", type: "integer", description: "How large it is.\nIn pixels.", byDefault: "3", isRequired: true }],
    ["spec:\n  containers:\n    - name: a\n      ima|ge: b", { name: "spec.containers[].image", type: "string", description: "The image.", isRequired: false }],
    ["spec:\n  pol|icy: Never", { values: ["Always", "Never"] }],
    ["spec:\n  conta|iners: []", { type: "[]object" }],
    ["spec:\n  lim|its: {}", { type: "map[string]int-or-string" }],
    ["spec:\n  po|rt: 1", { type: "int-or-string" }],
  ])("%j", (text, expected) => expect(meaningAt(...at(HEAD + text), SCHEMAS)).toMatchObject(expected));

  it.each(["spec:\n  size: 1|", "spec:\n  unkno|wn: 1"])("is not there for %j", (text) => expect(meaningAt(...at(HEAD + text), SCHEMAS)).toBeUndefined());
});

describe("marks", () => {
  const marks = (text: string) =>
    schemaProblems(HEAD + text, SCHEMAS).map(({ from, to, ...problem }) => [(HEAD + text).slice(from, to), problem] as const);

  it.each([
    ["spec:\n  sise: 1\n", [["sise", { code: "unknown", name: "sise", near: "size" }]]],
    ["spec:\n  size: big\n", [["big", { code: "type", expected: "integer" }]]],
    ["spec:\n  size: 1.5\n", [["1.5", { code: "type", expected: "integer" }]]],
    ["spec:\n  policy: never\n", [["never", { code: "enum", values: ["Always", "Never"] }]]],
    ["spec:\n  modes: [A, C]\n", [["C", { code: "enum", values: ["A", "B"] }]]],
    ["spec:\n  suspend: 'no'\n", [["'no'", { code: "type", expected: "boolean" }]]],
    ["metadata:\n  labels: {a: 1}\n", [["1", { code: "type", expected: "string" }]]],
    ["spec: []\n", [["[]", { code: "type", expected: "object" }]]],
    ["spec:\n  port: {}\n", [["{}", { code: "type", expected: "string" }]]],
    ["spec:\n  containers:\n    - nam: a\n", [["nam", { code: "unknown", name: "nam", near: "name" }]]],
  ])("%j", (text, expected) => expect(marks(text)).toEqual(expected));

  it.each([
    "spec:\n  size: 1\n  port: 80\n  limits: {cpu: 1, memory: 1Gi}\n  anything: {x: {y: 1}, known: z}\n",
    "spec:\n",
    "spec:\n  size:\n",
    "spec: {port: http}\nmetadata: {labels: {a: b}}\n",
    "spec: &a {size: 1}\n",
    "spec: [\n",
  ])("are none for %j", (text) => expect(marks(text)).toEqual([]));

  it("are none of kinds without a schema", () => expect(schemaProblems("apiVersion: v1\nkind: Other\nspec: 1\n", SCHEMAS)).toEqual([]));

  it.each([
    ["Replicas", ["replicas", "image"], "replicas"],
    ["replcas", ["replicas", "image"], "replicas"],
    ["x", ["a", "b"], ""],
    ["something", ["size"], ""],
  ])("%s is near to one of %j: %j", (name, names, near) => expect(nearest(name, names)).toBe(near));
});
