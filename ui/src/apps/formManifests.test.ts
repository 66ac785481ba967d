/** Forms and their YAML say the same: what is read from a text that a form has written is the form, and nothing else in it is lost. */
import { describe, expect, it, test } from "vitest";
import { manifestText, parseManifest, patchDocuments, textOfObjects, type ManifestObject } from "../kinds/manifest";
import { initialForm, type NotebookForm, type SpawnerConfig } from "./notebooks/kinds/notebookForm";
import { OTHER, isAllInForm, notebookLens, notebookObjects, type NotebookContext } from "./notebooks/kinds/notebookManifest";
import { boardLens, boardObjects, initialBoard } from "./tensorboards/kinds/tensorboardManifest";
import { VOLUME_LENS, initialVolume, volumeObjects } from "./volumes/kinds/volumeManifest";
import type { BoardForm } from "./tensorboards/kinds/tensorboards";
import { nextDataVolume, type VolumeForm } from "./notebooks/kinds/volumeForm";
import type { VolumeCreation } from "./volumes/kinds/volumes";
import type { Lens } from "../parts/yaml/useManifestForm";

const CONFIG: SpawnerConfig = {
  allowCustomImage: true,
  imagePullPolicy: { value: "IfNotPresent" },
  image: { value: "wg/jupyter-scipy:v1", options: ["wg/jupyter-scipy:v1", "wg/jupyter-pytorch:v1"] },
  imageGroupOne: { value: "wg/codeserver:v1", options: ["wg/codeserver:v1"] },
  imageGroupTwo: { value: "wg/rstudio:v1", options: ["wg/rstudio:v1"] },
  cpu: { value: "0.5", limitFactor: "1.2" },
  memory: { value: "1.0Gi", limitFactor: "1.2" },
  gpus: { value: { num: "none", vendor: "", vendors: [{ limitsKey: "nvidia.com/gpu", uiName: "NVIDIA" }, { limitsKey: "amd.com/gpu", uiName: "AMD" }] } },
  workspaceVolume: { value: { mount: "/home/jovyan", newPvc: { metadata: { name: "{notebook-name}-workspace" }, spec: { resources: { requests: { storage: "5Gi" } }, accessModes: ["ReadWriteOnce"] } } } },
  dataVolumes: { value: [] },
  affinityConfig: { value: "", options: [{ configKey: "large", displayName: "Large", affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: "size", operator: "In", values: ["large"] }] }] } } } }] },
  tolerationGroup: { value: "", options: [{ groupKey: "gpu", displayName: "GPU nodes", tolerations: [{ key: "gpu", operator: "Exists" }] }] },
  shm: { value: true },
  configurations: { value: [] },
};
const CONTEXT: NotebookContext = { namespace: "ml", config: CONFIG, podDefaultLabels: ["tracking", "bucket"] };
const NOTEBOOK = notebookLens(CONTEXT);
const BOARD = boardLens(["tracking", "bucket"]);

/** Numbers that are the same in every run (mulberry32). */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Pick1 = <T>(all: readonly T[]) => T;
const picking = (random: () => number): Pick1 => (all) => all[Math.floor(random() * all.length)] as (typeof all)[number];

function volume(pick: Pick1, mount: string, number: number): VolumeForm {
  const base = { ...nextDataVolume([], "new"), mount };
  return pick([
    { ...base, name: `{notebook-name}-data-${number}`, size: pick(["1Gi", "10Gi"]), mode: pick(["ReadWriteOnce", "ReadWriteMany"]), storageClass: pick(["", "fast"]) },
    { ...base, name: `shared.data-${number}` },
    { ...base, kind: "existing", name: "", claim: `datasets-${number}`, readOnly: pick([true, false]) },
    { ...base, kind: "existingYaml", name: "", yaml: `configMap:\n  name: team-${number}\n` },
    { ...base, kind: "newYaml", name: `labelled-${number}`, yaml: `metadata:\n  name: labelled-${number}\n  labels:\n    team: vision\nspec:\n  accessModes:\n    - ReadWriteOnce\n` },
  ] as VolumeForm[]);
}

const changes: ((pick: Pick1, form: NotebookForm) => Partial<NotebookForm>)[] = [
  (pick) => ({ name: pick(["lab", "a", "desk-2", ""]) }),
  (pick) => ({ serverType: pick(["jupyter", "group-one", "group-two"]), usesCustomImage: false }),
  (pick) => ({ usesCustomImage: true, customImage: pick(["me/lab:1", "other:2"]) }),
  (pick) => ({ usesCustomImage: false, images: { ...initialForm(CONFIG).images, jupyter: pick(CONFIG.image.options ?? []) } }),
  (pick) => ({ pullPolicy: pick(["Always", "Never", "IfNotPresent"]) }),
  (pick) => ({ cpu: pick([0.5, 1, 2.5]), memory: pick([1, 4, 0.5]) }),
  (pick) => ({ cpuLimit: pick([undefined, 8]), memoryLimit: pick([undefined, 32]) }),
  (pick) => ({ gpus: pick(["1", "4"]), vendor: pick(["nvidia.com/gpu", "amd.com/gpu"]) }),
  () => ({ gpus: "none" }),
  (pick) => ({ configurations: pick([[], ["tracking"], ["tracking", "bucket"]]) }),
  (pick) => ({ environment: pick(["", "A=1", "A=2\nB=x=y", "B="]) }),
  (pick) => ({ affinity: pick(["", "large"]), tolerations: pick(["", "gpu"]) }),
  (pick) => ({ sharedMemory: pick([true, false]) }),
  (pick) => ({ workspace: pick([undefined, initialForm(CONFIG).workspace, { ...volume(pick, "/home/jovyan", 9) }]) }),
  (pick, form) => ({ dataVolumes: [...form.dataVolumes, volume(pick, `/data/${form.dataVolumes.length}-${pick([1, 2, 3])}`, form.dataVolumes.length)] }),
  (pick, form) => ({ dataVolumes: form.dataVolumes.filter((one) => one !== pick(form.dataVolumes)) }),
  (pick, form) => (form.dataVolumes.length === 0 ? {} : { dataVolumes: form.dataVolumes.with(0, { ...volume(pick, "/data/changed", 7) }) }),
];

/** What the parts of a form say that are shown; what was chosen before and is not now does not count. */
const shownVolume = (form: VolumeForm | undefined): unknown =>
  form && (form.kind === "new" ? [form.kind, form.mount, form.name, form.size, form.mode, form.storageClass] : form.kind === "existing" ? [form.kind, form.mount, form.claim, form.readOnly] : [form.kind, form.mount, form.yaml]);
const shown = (form: NotebookForm): unknown => ({
  ...form,
  images: form.usesCustomImage ? undefined : form.images[form.serverType],
  customImage: form.usesCustomImage ? form.customImage : undefined,
  vendor: form.gpus === "none" ? undefined : form.vendor,
  workspace: shownVolume(form.workspace),
  dataVolumes: form.dataVolumes.map(shownVolume),
});

/** Changes a text as the page does. */
function edited<F>(text: string, lens: Lens<F>, before: F, after: F): string {
  const { documents, objects } = parseManifest(text);
  return manifestText(patchDocuments(documents, lens.write(objects, before, after)));
}

describe("the form of a notebook", () => {
  test.each(Array.from({ length: 40 }, (_, seed) => seed))("is what is read from the text that it has written (%d)", (seed) => {
    const pick = picking(chance(seed));
    let form = initialForm(CONFIG);
    let text = textOfObjects(notebookObjects(form, CONTEXT));
    for (let step = 0; step < 12; step++) {
      const after = { ...form, ...pick(changes)(pick, form) };
      text = edited(text, NOTEBOOK, form, after);
      form = after;
      expect(parseManifest(text).problem).toBeUndefined();
      const read = NOTEBOOK.read(parseManifest(text).objects, form);
      expect(shown(read)).toEqual(shown(form));
      // Half of the time the next change is made to what was read, as after an edit of the YAML.
      if (pick([true, false])) form = read;
    }
  });

  test.each(Array.from({ length: 15 }, (_, seed) => seed))("changes nothing that it has no field for (%d)", (seed) => {
    const pick = picking(chance(seed + 1_000));
    const start = notebookObjects(initialForm(CONFIG), CONTEXT);
    const notebook = start[0] as { metadata: ManifestObject; spec: { template: { spec: ManifestObject & { containers: ManifestObject[]; volumes: ManifestObject[] } } } };
    const pod = notebook.spec.template.spec;
    notebook.metadata["annotations"] = { ...(notebook.metadata["annotations"] as ManifestObject), "example.com/team": "vision" };
    (notebook.metadata["labels"] as ManifestObject)["owner"] = "ada";
    pod["hostAliases"] = [{ ip: "10.0.0.1", hostnames: ["db"] }];
    pod.containers.push({ name: "sidecar", image: "proxy:1", volumeMounts: [{ name: "lab-cache", mountPath: "/cache" }] });
    pod.volumes.push({ name: "lab-cache", emptyDir: {} });
    const server = pod.containers[0] as ManifestObject;
    server["env"] = [{ name: "TOKEN", valueFrom: { secretKeyRef: { name: "s", key: "t" } } }, { name: "SCRIPT", value: "a\nb" }];
    server["livenessProbe"] = { tcpSocket: { port: 8888 } };
    ((server["resources"] as ManifestObject)["limits"] as ManifestObject)["example.com/fpga"] = 1;
    let text = textOfObjects([...start, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "more" } }]).replace("hostAliases:", "hostAliases: # of the database");
    let form = NOTEBOOK.read(parseManifest(text).objects, initialForm(CONFIG));
    for (let step = 0; step < 12; step++) {
      const after = { ...form, ...pick(changes)(pick, form) };
      text = edited(text, NOTEBOOK, form, after);
      form = after;
    }
    const objects = parseManifest(text).objects;
    const now = objects[0] as typeof notebook;
    expect(text).toContain("# of the database");
    expect(now.metadata).toMatchObject({ annotations: { "example.com/team": "vision" }, labels: { owner: "ada" } });
    expect(now.spec.template.spec).toMatchObject({ hostAliases: [{ ip: "10.0.0.1", hostnames: ["db"] }], serviceAccountName: "default-editor" });
    expect(now.spec.template.spec.containers[1]).toEqual({ name: "sidecar", image: "proxy:1", volumeMounts: [{ name: "lab-cache", mountPath: "/cache" }] });
    expect(now.spec.template.spec.volumes).toContainEqual({ name: "lab-cache", emptyDir: {} });
    expect(now.spec.template.spec.containers[0]).toMatchObject({ livenessProbe: { tcpSocket: { port: 8888 } }, resources: { limits: { "example.com/fpga": 1 } } });
    expect(now.spec.template.spec.containers[0]?.["env"]).toEqual(expect.arrayContaining([{ name: "TOKEN", valueFrom: { secretKeyRef: { name: "s", key: "t" } } }, { name: "SCRIPT", value: "a\nb" }]));
    expect(objects.some((one) => one["kind"] === "ConfigMap")).toBe(true);
    expect(isAllInForm(objects, form, CONTEXT)).toBe(false);
  });

  test.each(Array.from({ length: 15 }, (_, seed) => seed))("is posted as a form for as long as nothing but the form was edited (%d)", (seed) => {
    const pick = picking(chance(seed + 2_000));
    let form: NotebookForm = { ...initialForm(CONFIG), name: "lab" };
    let text = textOfObjects(notebookObjects(form, CONTEXT));
    for (let step = 0; step < 8; step++) {
      const change = pick(changes);
      const after = { ...form, ...change(pick, form) };
      text = edited(text, NOTEBOOK, form, after);
      form = after;
    }
    const named = { ...form, name: "named" };
    expect(isAllInForm(parseManifest(edited(text, NOTEBOOK, form, named)).objects, named, CONTEXT)).toBe(true);
  });

  const objectsOf = (change: Partial<NotebookForm> = {}): ManifestObject[] => notebookObjects({ ...initialForm(CONFIG), name: "lab", ...change }, CONTEXT);
  const podOf = (objects: ManifestObject[]) => (objects[0] as { spec: { template: { spec: ManifestObject & { containers: ManifestObject[]; volumes: ManifestObject[] } } } }).spec.template.spec;

  it("makes what the server makes of it", () => {
    expect(objectsOf()).toEqual([
      {
        apiVersion: "kubeflow.org/v1beta1",
        kind: "Notebook",
        metadata: { name: "lab", labels: { app: "lab" }, annotations: { "notebooks.kubeflow.org/server-type": "jupyter" } },
        spec: {
          template: {
            spec: {
              serviceAccountName: "default-editor",
              containers: [
                {
                  name: "lab",
                  image: "wg/jupyter-scipy:v1",
                  imagePullPolicy: "IfNotPresent",
                  resources: { requests: { cpu: "0.5", memory: "1Gi" }, limits: { cpu: "0.6", memory: "1.2Gi" } },
                  volumeMounts: [
                    { name: "lab-workspace", mountPath: "/home/jovyan" },
                    { name: "dshm", mountPath: "/dev/shm" },
                  ],
                },
              ],
              volumes: [
                { name: "lab-workspace", persistentVolumeClaim: { claimName: "lab-workspace" } },
                { name: "dshm", emptyDir: { medium: "Memory" } },
              ],
            },
          },
        },
      },
      { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "lab-workspace" }, spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "5Gi" } } } },
    ]);
  });

  it("keeps a limit that the text has removed away", () => {
    const objects = objectsOf();
    const resources = podOf(objects).containers[0]?.["resources"] as { limits: ManifestObject };
    delete resources.limits["cpu"];
    const form = NOTEBOOK.read(objects, initialForm(CONFIG));
    const now = NOTEBOOK.write(objects, form, { ...form, cpu: 4 });
    expect(podOf(now).containers[0]?.["resources"]).toEqual({ requests: { cpu: "4", memory: "1Gi" }, limits: { memory: "1.2Gi" } });
  });

  it("shows amounts that are written otherwise, and does not rewrite them", () => {
    const objects = objectsOf();
    podOf(objects).containers[0] = { ...podOf(objects).containers[0], resources: { requests: { cpu: "500m", memory: "2048Mi" } } };
    const form = NOTEBOOK.read(objects, initialForm(CONFIG));
    expect([form.cpu, form.memory]).toEqual([0.5, 2]);
    expect(podOf(NOTEBOOK.write(objects, form, { ...form, pullPolicy: "Always" })).containers[0]?.["resources"]).toEqual({ requests: { cpu: "500m", memory: "2048Mi" } });
  });

  it("says that an affinity was chosen in the text", () => {
    const objects = objectsOf();
    podOf(objects)["affinity"] = { podAffinity: {} };
    const form = NOTEBOOK.read(objects, initialForm(CONFIG));
    expect(form.affinity).toBe(OTHER);
    expect(podOf(NOTEBOOK.write(objects, form, { ...form, name: "desk" }))["affinity"]).toEqual({ podAffinity: {} });
  });

  it("is posted as objects where a field that is fixed was changed in the text", () => {
    const context = { ...CONTEXT, config: { ...CONFIG, cpu: { ...CONFIG.cpu, readOnly: true } } };
    const form = { ...initialForm(CONFIG), name: "lab" };
    expect(isAllInForm(notebookObjects(form, context), form, context)).toBe(true);
    expect(isAllInForm(notebookObjects({ ...form, cpu: 8 }, context), { ...form, cpu: 8 }, context)).toBe(false);
  });

  it("leaves a text alone that has no Notebook", () => {
    const other = [{ kind: "ConfigMap" }];
    const form = initialForm(CONFIG);
    expect(NOTEBOOK.read(other, form)).toEqual(form);
    expect(NOTEBOOK.write(other, form, { ...form, name: "x" })).toEqual(other);
  });

  it.each(["spec: 1", "spec: {template: {spec: {containers: none}}}", "metadata: []", "spec: {template: {spec: {containers: [1], volumes: [2]}}}"])("reads and writes also %s", (text) => {
    const objects = parseManifest(`kind: Notebook\n${text}\n`).objects;
    const form = NOTEBOOK.read(objects, initialForm(CONFIG));
    expect(NOTEBOOK.read(NOTEBOOK.write(objects, form, { ...form, name: "x", cpu: 2 }), form)).toMatchObject({ name: "x", cpu: 2 });
  });
});

describe("the form of a volume", () => {
  const one = (pick: Pick1): VolumeCreation => ({
    name: pick(["data", "a.b", ""]),
    size: pick(["1Gi", "10Gi", "much"]),
    mode: pick(["ReadWriteOnce", "ReadWriteMany"]),
    storageClass: pick(["{empty}", "{none}", "fast"]),
    type: pick(["empty", "snapshot", "clone"] as const),
    snapshot: pick(["before", "after"]),
    source: pick(["old", "older"]),
  });
  const shownOf = (form: VolumeCreation): unknown => ({ ...form, snapshot: form.type === "snapshot" && form.snapshot, source: form.type === "clone" && form.source });

  test.each(Array.from({ length: 15 }, (_, seed) => seed))("is what is read from the text that it has written (%d)", (seed) => {
    const pick = picking(chance(seed));
    let form = initialVolume;
    let text = textOfObjects(volumeObjects(form)).replace("spec:", "spec: # mine\n  volumeMode: Block\n  selector: {matchLabels: {a: b}}");
    for (let step = 0; step < 8; step++) {
      const after = one(pick);
      text = edited(text, VOLUME_LENS, form, after);
      form = pick([after, VOLUME_LENS.read(parseManifest(text).objects, after)]);
      expect(shownOf(VOLUME_LENS.read(parseManifest(text).objects, form))).toEqual(shownOf(after));
    }
    expect(parseManifest(text).objects[0]?.["spec"]).toMatchObject({ volumeMode: "Block", selector: { matchLabels: { a: "b" } } });
    expect(text).toContain("# mine");
  });

  it("keeps modes after the first, and sources of other kinds", () => {
    const text = "kind: PersistentVolumeClaim\nspec:\n  accessModes: [ReadWriteOnce, ReadOnlyMany]\n  dataSource: {apiGroup: example.com, kind: Dataset, name: cats}\n";
    const { objects } = parseManifest(text);
    const form = VOLUME_LENS.read(objects, initialVolume);
    expect(VOLUME_LENS.write(objects, form, { ...form, mode: "ReadWriteMany" })[0]?.["spec"]).toEqual({
      accessModes: ["ReadWriteMany", "ReadOnlyMany"],
      dataSource: { apiGroup: "example.com", kind: "Dataset", name: "cats" },
    });
  });
});

describe("the form of a TensorBoard", () => {
  const one = (pick: Pick1): BoardForm => ({
    name: pick(["curves", ""]),
    storage: pick(["pvc", "store"] as const),
    claim: pick(["", "logs"]),
    path: pick(["", "a/b", "run1"]),
    link: pick(["", "s3://bucket/logs"]),
    configurations: pick([[], ["bucket"], ["tracking", "bucket"]]),
  });
  const shownOf = (form: BoardForm): unknown => ({ ...form, configurations: form.configurations.toSorted(), ...(form.storage === "pvc" ? { link: "" } : { claim: "", path: "" }) });

  test.each(Array.from({ length: 15 }, (_, seed) => seed))("is what is read from the text that it has written (%d)", (seed) => {
    const pick = picking(chance(seed));
    let form = initialBoard;
    let text = textOfObjects(boardObjects(form)).replace("metadata:", "metadata: # mine\n  annotations: {a: b}\n  labels: {owner: ada}");
    for (let step = 0; step < 8; step++) {
      const after = one(pick);
      text = edited(text, BOARD, form, after);
      form = after;
      expect(shownOf(BOARD.read(parseManifest(text).objects, form))).toEqual(shownOf(after));
    }
    expect(parseManifest(text).objects[0]?.["metadata"]).toMatchObject({ annotations: { a: "b" }, labels: { owner: "ada" } });
    expect(text).toContain("# mine");
  });
});
