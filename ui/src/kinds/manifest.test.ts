import { describe, expect, it, test } from "vitest";
import { parseDocument } from "yaml";
import { isSame, manifestText, namespaceOf, parseManifest, patchDocuments, setField, textOfObjects, type ManifestObject } from "./manifest";

const TEXT = `# A notebook of mine.
apiVersion: kubeflow.org/v1
kind: Notebook
metadata:
  name: lab # short
  labels: { app: lab }
spec:
  template:
    spec:
      containers:
        # The server.
        - name: lab
          image: "jupyter:1"
          env:
            - name: A
              value: "1"
            # From a Secret.
            - name: TOKEN
              valueFrom: { secretKeyRef: { name: s, key: t } }
---
# Its volume.
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: lab-workspace
`;

const patchedText = (change: (objects: ManifestObject[]) => ManifestObject[]): string => {
  const { documents, objects } = parseManifest(TEXT);
  return manifestText(patchDocuments(documents, change(structuredClone(objects))));
};

describe("a text", () => {
  it("has objects", () => expect(parseManifest(TEXT).objects.map((one) => one["kind"])).toEqual(["Notebook", "PersistentVolumeClaim"]));

  it.each([
    ["a: [1, 2\nb: 3\n", 2, "syntax"],
    ["a: 1\nb: 2\na: 3\n", 3, "syntax"],
    ["a:\n  - b\n c: 1\n", 3, "syntax"],
    ["a: 1\n---\n- b\n", 3, "notObject"],
    ["", 1, "notObject"],
    ["a: *nothing\n", 1, "syntax"],
  ])("%j is broken in line %d", (text, line, code) => expect(parseManifest(text).problem).toMatchObject({ line, code }));

  it("may be of one object only", () => expect(parseManifest(TEXT, { single: true }).problem).toMatchObject({ code: "several", line: 22 }));

  it("may end with an empty document", () => expect(parseManifest("a: 1\n---\n", { single: true }).problem).toBeUndefined());
});

describe("patched documents", () => {
  it("are the same text where nothing differs", () => expect(patchedText((objects) => objects)).toBe(TEXT));

  it("differ in the one value that differs", () => {
    expect(
      patchedText(([notebook = {}, ...rest]) => {
        (notebook["metadata"] as ManifestObject)["name"] = "desk";
        return [notebook, ...rest];
      }),
    ).toBe(TEXT.replace("name: lab # short", "name: desk # short"));
  });

  it("keep comments of the items of a list that stay", () => {
    const text = patchedText((objects) => {
      const container = (((objects[0]?.["spec"] as never)["template"]["spec"])["containers"] as ManifestObject[])[0] ?? {};
      container["env"] = [(container["env"] as unknown[])[1], { name: "B", value: "2" }];
      return objects;
    });
    expect(text).toContain("# From a Secret.\n            - name: TOKEN");
    expect(text).toContain("- name: B\n              value: \"2\"");
    expect(text).not.toContain("name: A");
    expect(text).toContain("# The server.");
  });

  it("lose and win whole objects", () => {
    expect(patchedText((objects) => objects.slice(0, 1))).toBe(TEXT.slice(0, TEXT.indexOf("---")));
    const more = patchedText((objects) => [...objects, { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "data" } }]);
    expect(more.startsWith(TEXT)).toBe(true);
    expect(parseManifest(more).objects[2]).toEqual({ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "data" } });
  });

  it("replace what an alias stands for only where it differs", () => {
    const { documents } = parseManifest("a: &x {b: 1}\nc: *x\nd: *x\n");
    expect(manifestText(patchDocuments(documents, [{ a: { b: 1 }, c: { b: 1 }, d: { b: 2 } }]))).toBe("a: &x { b: 1 }\nc: *x\nd:\n  b: 2\n");
  });
});

test("objects come back from their text", () => {
  const objects = [{ kind: "A", text: "1", list: ["yes", "null", "1e3", "a: b", "x\ny\n"], empty: "" }, { kind: "B", n: 1.5, f: false }];
  expect(parseManifest(textOfObjects(objects)).objects).toEqual(objects);
});

describe("a field that is set", () => {
  it.each([
    ["metadata:\n", ["metadata", "labels", "a"], "metadata:\n  labels:\n    a: x\n"],
    ["metadata: {}\n", ["metadata", "name"], "metadata:\n  name: x\n"],
    ["a: text\n", ["a", "b"], "a:\n  b: x\n"],
    ["a: 1 # one\n", ["a"], "a: x # one\n"],
    ["a: \"\" # one\n", ["a"], "a: x # one\n"],
    ["list:\n", ["list", 0, "name"], "list:\n  - name: x\n"],
  ])("%j at %j", (text, path, result) => {
    const document = parseDocument(text);
    setField(document, path, "x");
    expect(document.toString({ lineWidth: 0 })).toBe(result);
  });
});

it.each([
  [{ a: 1, b: undefined }, { a: 1 }, true],
  [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, true],
  [{ a: [1] }, { a: [1, 2] }, false],
  [{ a: null }, {}, false],
  [Number.NaN, Number.NaN, true],
])("%j and %j: the same is %j", (one, other, same) => expect(isSame(one, other)).toBe(same));

it.each([
  [{ metadata: { namespace: "vision" } }, "vision"],
  [{ metadata: { namespace: "" } }, "ml"],
  [{ metadata: null }, "ml"],
  [null, "ml"],
])("%j is created in %j", (object, namespace) => expect(namespaceOf(object, "ml")).toBe(namespace));
