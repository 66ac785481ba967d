import { describe, expect, test } from "vitest";
import {
  bodyOf,
  fieldOfMessage,
  formErrors,
  imageLabel,
  initialForm,
  limitOf,
  missingVendor,
  sizeOf,
  sizes,
  type NotebookForm,
  type SpawnerConfig,
  variablesOf,
} from "./notebookForm";
import { nextDataVolume, volumeFormOf } from "./volumeForm";

const CONFIG: SpawnerConfig = {
  allowCustomImage: true,
  hideRegistry: true,
  hideTag: false,
  imagePullPolicy: { value: "IfNotPresent" },
  image: { value: "wg/jupyter-scipy:v1", options: ["wg/jupyter-scipy:v1", "wg/jupyter-pytorch:v1"] },
  imageGroupOne: { value: "wg/codeserver:v1" },
  imageGroupTwo: { value: "wg/rstudio:v1" },
  cpu: { value: "0.5", limitFactor: "1.2" },
  memory: { value: "1.0Gi", limitFactor: "1.2" },
  gpus: { value: { num: "none", vendor: "", vendors: [{ limitsKey: "nvidia.com/gpu", uiName: "NVIDIA" }] } },
  workspaceVolume: {
    value: {
      mount: "/home/jovyan",
      newPvc: { metadata: { name: "{notebook-name}-workspace" }, spec: { resources: { requests: { storage: "5Gi" } }, accessModes: ["ReadWriteOnce"] } },
    },
  },
  dataVolumes: { value: [] },
  affinityConfig: { value: "", options: [] },
  tolerationGroup: { value: "", options: [] },
  shm: { value: true },
  configurations: { value: [] },
};
const form = (change: Partial<NotebookForm> = {}): NotebookForm => ({ ...initialForm(CONFIG), name: "first", ...change });

test("the form as it is first shown posts the defaults", () => {
  expect(bodyOf(form(), CONFIG)).toEqual({
    name: "first",
    serverType: "jupyter",
    image: "wg/jupyter-scipy:v1",
    imagePullPolicy: "IfNotPresent",
    cpu: "0.5",
    memory: "1Gi",
    gpus: { num: "none", vendor: "" },
    tolerationGroup: "",
    affinityConfig: "",
    configurations: [],
    shm: true,
    workspace: {
      mount: "/home/jovyan",
      newPvc: { metadata: { name: "first-workspace" }, spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "5Gi" } } } },
    },
    datavols: [],
  });
});

test("limits are posted only when they were edited", () => {
  expect(bodyOf(form({ cpuLimit: 2, memoryLimit: 4 }), CONFIG)).toMatchObject({ cpuLimit: "2", memoryLimit: "4Gi" });
});

test("another server type posts its own image, a custom one instead of it", () => {
  expect(bodyOf(form({ serverType: "group-one" }), CONFIG)).toMatchObject({ serverType: "group-one", image: "wg/codeserver:v1" });
  const custom = bodyOf(form({ usesCustomImage: true, customImage: " me/lab:1 " }), CONFIG);
  expect(custom).toMatchObject({ customImage: "me/lab:1", customImageCheck: true });
  expect(custom).not.toHaveProperty("image");
});

test("fields that are fixed are not posted", () => {
  const fixed: SpawnerConfig = {
    ...CONFIG,
    cpu: { ...CONFIG.cpu, readOnly: true },
    gpus: { ...CONFIG.gpus, readOnly: true },
    image: { ...CONFIG.image, readOnly: true },
    workspaceVolume: { ...CONFIG.workspaceVolume, readOnly: true },
  };
  const body = bodyOf(form({ cpuLimit: 3 }), fixed);
  for (const field of ["cpu", "cpuLimit", "gpus", "image", "workspace"]) expect(body).not.toHaveProperty(field);
});

test("volumes are new or existing, or YAML", () => {
  const existing = { ...nextDataVolume([], "existing"), claim: "datasets", readOnly: true };
  const yaml = { ...nextDataVolume([existing], "existingYaml"), yaml: "configMap: {name: team}" };
  expect(bodyOf(form({ workspace: undefined, dataVolumes: [existing, yaml] }), CONFIG)).toMatchObject({
    datavols: [
      { mount: "/home/jovyan/vol-1", existingSource: { persistentVolumeClaim: { claimName: "datasets", readOnly: true } } },
      { mount: "/home/jovyan/vol-2", existingSource: { configMap: { name: "team" } } },
    ],
  });
});

describe("what is wrong with a form", () => {
  test.each([
    ["", "required"],
    ["First", "nameCharacters"],
    ["9lives", "nameCharacters"],
    ["ends-", "nameCharacters"],
    ["a".repeat(41), "nameLength"],
    ["taken", "nameUsed"],
    ["first", undefined],
  ])("the name %j", (name, error) => expect(formErrors(form({ name }), CONFIG, ["taken"])["name"]).toBe(error));

  test.each<[Partial<NotebookForm>, string, string]>([
    [{ cpu: Number.NaN }, "cpu", "amount"],
    [{ memory: 0 }, "memory", "amount"],
    [{ cpu: 2, cpuLimit: 1 }, "cpuLimit", "belowMinimum"],
    [{ gpus: "2" }, "vendor", "required"],
    [{ usesCustomImage: true }, "customImage", "required"],
    [{ dataVolumes: [{ ...nextDataVolume([], "existing"), mount: "data" }] }, "data.0.mount", "mount"],
    [{ dataVolumes: [nextDataVolume([], "existing")] }, "data.0.claim", "required"],
    [{ dataVolumes: [{ ...nextDataVolume([], "new"), size: "much" }] }, "data.0.size", "size"],
    [{ dataVolumes: [{ ...nextDataVolume([], "newYaml"), yaml: "a: [" }] }, "data.0.yaml", "yaml"],
    [{ dataVolumes: [{ ...nextDataVolume([], "new"), mount: "/home/jovyan" }] }, "data.0.mount", "mountUsed"],
  ])("%j", (change, field, error) => expect(formErrors(form(change), CONFIG, [])[field]).toBe(error));

  test("nothing, by default", () => expect(formErrors(form(), CONFIG, [])).toEqual({}));
});

test.each([
  [0.5, "1.2", 0.6],
  [1.15, "2", 2.3],
  [2, "none", undefined],
  [2, undefined, undefined],
  [Number.NaN, "1.2", undefined],
])("the maximum of %s by %s is %s", (request, factor, limit) => expect(limitOf(request, factor)).toBe(limit));

test("a vendor of which no node has GPUs is named", () => {
  const asked = form({ gpus: "1", vendor: "nvidia.com/gpu" });
  expect(missingVendor(asked, CONFIG, [])?.uiName).toBe("NVIDIA");
  expect(missingVendor(asked, CONFIG, ["nvidia.com/gpu"])).toBeUndefined();
  expect(missingVendor(form(), CONFIG, [])).toBeUndefined();
});

test("sizes start with the administrator's", () => {
  expect(sizes(CONFIG).map((size) => size.id)).toEqual(["small", "medium", "large"]);
  expect(sizeOf(form(), sizes(CONFIG))).toBe("small");
  expect(sizeOf(form({ cpu: 3 }), sizes(CONFIG))).toBe("custom");
  expect(sizes({ ...CONFIG, cpu: { value: "3" }, memory: { value: "8Gi" } }).map((size) => size.id)).toEqual(["small", "large"]);
});

test.each([
  ["cpuLimit: 1 is below the request of 2", "cpuLimit"],
  ["datavols[0].mount: must be an absolute path", "datavols"],
  ["the configurations cannot be used together: x", ""],
])("%s is about %j", (message, field) => expect(fieldOfMessage(message)).toBe(field));

test("images are shown as the administrator wants", () => {
  expect(imageLabel("reg.example:5000/wg/lab:v1", { hideRegistry: true })).toBe("lab:v1");
  expect(imageLabel("reg.example:5000/wg/lab:v1", { hideTag: true })).toBe("reg.example:5000/wg/lab");
});

test("a workspace that is none stays none", () => expect(volumeFormOf(null)).toBeUndefined());

test.each([
  ["", {}],
  ["A=1\n\n B_2=x=y ", { A: "1", B_2: "x=y" }],
  ["A=", { A: "" }],
  ["A", undefined],
  ["1A=2", undefined],
])("the variables of %j", (text, variables) => expect(variablesOf(text)).toEqual(variables));
