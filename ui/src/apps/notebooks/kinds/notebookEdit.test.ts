import { expect, test } from "vitest";
import type { Notebook } from "../../../kinds/generated";
import { editErrors, editOf, editPatch, type NotebookEdit } from "./notebookEdit";

const VENDORS = ["nvidia.com/gpu", "amd.com/gpu"];
const LABELS = ["team", "access"];
const NOTEBOOK = {
  apiVersion: "kubeflow.org/v1",
  kind: "Notebook",
  metadata: { name: "lab", namespace: "ml", uid: "1", resourceVersion: "77", creationTimestamp: "", labels: { app: "lab", team: "true" } },
  spec: {
    template: {
      spec: {
        serviceAccountName: "default-editor",
        containers: [
          {
            name: "lab",
            image: "lab:1",
            env: [{ name: "A", value: "1" }],
            resources: { requests: { cpu: "0.5", memory: "1Gi", "ephemeral-storage": "1Gi" }, limits: { cpu: 1, memory: "2Gi", "nvidia.com/gpu": 2 } },
            volumeMounts: [
              { name: "home", mountPath: "/home/jovyan" },
              { name: "dshm", mountPath: "/dev/shm" },
            ],
          },
          { name: "sidecar", image: "proxy:1" },
        ],
        volumes: [
          { name: "home", persistentVolumeClaim: { claimName: "lab-workspace" } },
          { name: "dshm", emptyDir: { medium: "Memory" } },
        ],
      },
    },
  },
} as unknown as Notebook;

interface Patch {
  metadata: { resourceVersion: string; labels: Record<string, string | null> };
  spec: { template: { spec: { containers: Record<string, unknown>[]; volumes: { name: string }[] } } };
}

const patch = (change: Partial<NotebookEdit>): Patch =>
  editPatch(NOTEBOOK, { ...editOf(NOTEBOOK, VENDORS, LABELS), ...change }, VENDORS, LABELS) as Patch;

test("a notebook as it is edited", () => {
  expect(editOf(NOTEBOOK, VENDORS, LABELS)).toEqual({
    image: "lab:1",
    cpu: "0.5",
    memory: "1Gi",
    cpuLimit: "1",
    memoryLimit: "2Gi",
    gpus: "2",
    vendor: "nvidia.com/gpu",
    configurations: ["team"],
    claims: [{ claim: "lab-workspace", mount: "/home/jovyan", readOnly: false }],
  });
});

test("what the form does not show stays", () => {
  const { spec, metadata } = patch({});
  const [first, second] = spec.template.spec.containers;
  expect(metadata.resourceVersion).toBe("77");
  expect(first).toMatchObject({ name: "lab", env: [{ name: "A", value: "1" }], resources: { requests: { "ephemeral-storage": "1Gi" } } });
  expect(second).toEqual({ name: "sidecar", image: "proxy:1" });
  expect(spec.template.spec.volumes.map((volume) => volume.name).sort()).toEqual(["dshm", "home"]);
});

test("resources, GPUs and the image are changed", () => {
  const [container] = patch({ image: " lab:2 ", cpu: "2", cpuLimit: "", gpus: "1", vendor: "amd.com/gpu" }).spec.template.spec.containers;
  expect(container).toMatchObject({
    image: "lab:2",
    resources: { requests: { cpu: "2", memory: "1Gi", "ephemeral-storage": "1Gi" }, limits: { memory: "2Gi", "amd.com/gpu": "1" } },
  });
  expect(container?.["resources"]).toHaveProperty("limits", { memory: "2Gi", "amd.com/gpu": "1" });
});

test("configurations are labels", () => {
  expect(patch({ configurations: ["access"] }).metadata.labels).toEqual({ team: null, access: "true" });
});

test("claims are mounted and unmounted", () => {
  const added = patch({
    claims: [
      { claim: "lab-workspace", mount: "/home/jovyan", readOnly: false },
      { claim: "data.v1", mount: "/data", readOnly: true },
    ],
  }).spec.template.spec;
  expect(added.volumes).toContainEqual({ name: "data-v1", persistentVolumeClaim: { claimName: "data.v1" } });
  expect(added.containers[0]?.["volumeMounts"]).toContainEqual({ name: "data-v1", mountPath: "/data", readOnly: true });
  expect(patch({ claims: [] }).spec.template.spec.volumes.map((volume) => volume.name)).toEqual(["dshm"]);
});

test.each<[Partial<NotebookEdit>, string, string]>([
  [{ image: " " }, "image", "required"],
  [{ cpu: "much" }, "cpu", "amount"],
  [{ memory: "4Gi" }, "memoryLimit", "belowMinimum"],
  [{ gpus: "1", vendor: "" }, "vendor", "required"],
  [{ claims: [{ claim: "", mount: "data", readOnly: false }] }, "claims.0.mount", "mount"],
])("%j is wrong", (change, field, error) => {
  expect(editErrors({ ...editOf(NOTEBOOK, VENDORS, LABELS), ...change })[field]).toBe(error);
});
