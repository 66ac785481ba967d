import { describe, expect, test } from "vitest";
import type { NotebookRow, Why } from "../../../kinds/generated";
import {
  appliedPodDefaults,
  environmentOf,
  extendPatch,
  keptClaims,
  kernelAddress,
  kernelTokenName,
  mountsOf,
  notebookState,
  phaseWord,
  podToTry,
  type ServerSpec,
} from "./notebooks";

const status = (phase: NotebookRow["status"]["phase"], state = "") => ({ phase, message: "", state });
const noRoom = { code: "NotEnoughResources", sentence: "", reason: { type: "NodesUnfit" }, fixes: [] } as unknown as Why;
const badImage: Why = { code: "ErrImagePull", sentence: "", reason: null, details: {}, fixes: [] };

describe("the state of a notebook", () => {
  test.each([
    ["ready", "", null, "running"],
    ["waiting", "", null, "waiting"],
    ["stopped", "", null, "stopped"],
    ["terminating", "", null, "stopped"],
    ["warning", "ErrImagePull", badImage, "failed"],
    ["warning", "Unschedulable", null, "waiting"],
    ["warning", "", noRoom, "waiting"],
    ["error", "", null, "failed"],
  ] as const)("%s %s", (phase, state, why, expected) => {
    expect(notebookState({ status: status(phase, state), why })).toBe(expected);
  });

  test.each([
    ["ready", false, "running"],
    ["waiting", false, "starting"],
    ["waiting", true, "stopping"],
    ["stopped", true, "stopped"],
    ["terminating", true, "deleting"],
    ["warning", false, "failing"],
  ] as const)("%s, to stop: %s", (phase, toStop, word) => {
    const annotations = toStop ? { "kubeflow-resource-stopped": "2026-01-02T03:04:05Z" } : {};
    expect(phaseWord({ status: status(phase), why: null, metadata: { annotations } })).toBe(word);
  });

  test("one that waits for room is not called broken", () => {
    expect(phaseWord({ status: status("warning"), why: noRoom, metadata: {} })).toBe("blocked");
  });
});

const SPEC: ServerSpec = {
  containers: [
    {
      name: "lab",
      volumeMounts: [
        { name: "dshm", mountPath: "/dev/shm" },
        { name: "home", mountPath: "/home/jovyan" },
        { name: "data", mountPath: "/data" },
        { name: "tmp", mountPath: "/scratch" },
        { name: "team", mountPath: "/team" },
      ],
    },
  ],
  volumes: [
    { name: "dshm", emptyDir: { medium: "Memory" } },
    { name: "home", persistentVolumeClaim: { claimName: "lab-workspace" } },
    { name: "data", persistentVolumeClaim: { claimName: "datasets", readOnly: true } },
    { name: "tmp", emptyDir: {} },
    { name: "team", configMap: { name: "team" } },
  ],
};

test("mounts say what they are, claims first", () => {
  expect(mountsOf(SPEC).map((mount) => [mount.path, mount.kind, mount.name, mount.readOnly])).toEqual([
    ["/data", "claim", "datasets", true],
    ["/home/jovyan", "claim", "lab-workspace", false],
    ["/team", "other", "configMap", false],
    ["/scratch", "scratch", "emptyDir", false],
    ["/dev/shm", "memory", "emptyDir", false],
  ]);
});

test("only claims that the server writes keep its data", () => {
  expect(keptClaims(SPEC)).toEqual(["lab-workspace"]);
  expect(keptClaims({ containers: [] })).toEqual([]);
});

test("an extension counts as use now", () => {
  expect(extendPatch(new Date("2026-01-02T03:04:05.678Z"))).toEqual({
    metadata: { annotations: { "notebooks.kubeflow.org/last-activity": "2026-01-02T03:04:05Z" } },
  });
});

test("PodDefaults of a pod are known by their marks", () => {
  const mark = "poddefault.admission.kubeflow.org/poddefault-";
  expect(appliedPodDefaults({ [`${mark}team`]: "12", other: "1", [`${mark}access`]: "3" })).toEqual(["access", "team"]);
});

test("the pod to try is without the volumes that would be made with it", () => {
  const metadata = { name: "lab", namespace: "ml", uid: "", creationTimestamp: "" };
  const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { ...metadata, name: "lab-workspace" } };
  const pod = podToTry([claim, { apiVersion: "kubeflow.org/v1beta1", kind: "Notebook", metadata, spec: { template: { spec: SPEC } } }]);
  const spec = pod?.["spec"] as ServerSpec;
  expect(pod?.metadata.name).toBe("lab-0");
  expect(spec.volumes?.map((volume) => volume.name)).toEqual(["dshm", "data", "tmp", "team"]);
  expect(spec.containers[0]?.volumeMounts?.map((mount) => mount.name)).toEqual(["dshm", "data", "tmp", "team"]);
});

test("variables are grouped by where they come from", () => {
  const spec: ServerSpec = { containers: [{ name: "lab", env: [{ name: "MINE", value: "1" }] }] };
  const pod = {
    spec: {
      containers: [
        { name: "sidecar", env: [{ name: "NOT_OURS", value: "x" }] },
        {
          name: "lab",
          env: [
            { name: "MINE", value: "1" },
            { name: "BUCKET", value: "ml" },
            { name: "TOKEN", valueFrom: {} },
            { name: "NB_PREFIX", value: "/notebook/ml/lab" },
          ],
        },
      ],
    },
  };
  const team = { metadata: { name: "team" }, spec: { env: [{ name: "BUCKET" }, { name: "TOKEN" }] } };
  expect(environmentOf(spec, pod, [team])).toEqual([
    { origin: "own", podDefault: "", variables: [{ name: "MINE", value: "1" }] },
    { origin: "podDefault", podDefault: "team", variables: [{ name: "BUCKET", value: "ml" }, { name: "TOKEN", value: "" }] },
    { origin: "other", podDefault: "", variables: [{ name: "NB_PREFIX", value: "/notebook/ml/lab" }] },
  ]);
  expect(environmentOf(spec, undefined, [])).toHaveLength(1);
});

test("the address for an editor has the token in it", () => {
  const row = { name: "lab", link: "/notebook/ml/lab/" };

  expect(kernelAddress("https://windlass.example", row, "wl_a+b")).toBe("https://windlass.example/notebook/ml/lab/?token=wl_a%2Bb");
  expect(kernelTokenName(row, new Date("2026-11-17T10:20:30.500Z"))).toBe("kernel-lab-20261117102030");
});
