/** The volumes of a new notebook in its objects: a mount of the server, a volume of the pod, and perhaps a claim. Pure. */
import { stringify } from "yaml";
import { dig, isRecord, isSame, listOf, recordOf, textOf, within, without, type ManifestObject } from "../../../kinds/manifest";
import type { NotebookForm } from "./notebookForm";
import { NOTEBOOKS } from "./notebooks";
import { CLAIMS } from "../../volumes/kinds/volumes";
import { PLACEHOLDER, emptyVolume, fillName, volumeBody, type VolumeForm } from "./volumeForm";

const SHARED_MEMORY = { name: "dshm", path: "/dev/shm" };
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const MAX_LABEL = 63;
const NUMBERED = /-volume-\d+$/;

type Fields = Record<string, unknown>;
type VolumesOfForm = Pick<NotebookForm, "name" | "workspace" | "dataVolumes">;

/** Parts of objects that belong to one volume of the form. */
interface Place {
  mount: Fields;
  volume: Fields | undefined;
  claim: ManifestObject | undefined;
}

export const isNotebook = (object: ManifestObject): boolean => object["kind"] === NOTEBOOKS.kind;
const isClaim = (object: ManifestObject): boolean => object["kind"] === CLAIMS.kind;
const claimOf = (volume: unknown): string => textOf(dig(volume, "persistentVolumeClaim", "claimName"));
const nameOf = (object: unknown): string => textOf(dig(object, "metadata", "name"));

const podOf = (objects: ManifestObject[]): Fields => recordOf(dig(objects.find(isNotebook), "spec", "template", "spec"));
const recordsOf = (list: unknown): Fields[] => listOf(list).filter(isRecord);
const mountsIn = (pod: Fields): Fields[] => recordsOf(dig(listOf(pod["containers"])[0], "volumeMounts"));
const isSharedMemory = (mount: Fields, pod: Fields): boolean =>
  mount["mountPath"] === SHARED_MEMORY.path && recordsOf(pod["volumes"]).some((volume) => volume["name"] === mount["name"] && dig(volume, "emptyDir", "medium") === "Memory");

/** The mounts that the form shows, in their order. */
function placesIn(objects: ManifestObject[]): Place[] {
  const pod = podOf(objects);
  return mountsIn(pod)
    .filter((mount) => !isSharedMemory(mount, pod))
    .map((mount) => {
      const volume = recordsOf(pod["volumes"]).find((one) => one["name"] === mount["name"]);
      const claim = claimOf(volume);
      return { mount, volume, claim: claim === "" && dig(volume, "persistentVolumeClaim") === undefined ? undefined : objects.filter(isClaim).find((one) => nameOf(one) === claim) };
    });
}

/** `home` is where the workspace is by the configuration; else it is what was mounted where the form's workspace is. */
export function readVolumes(objects: ManifestObject[], before: VolumesOfForm, home: string): Pick<NotebookForm, "workspace" | "dataVolumes"> {
  const notebook = nameOf(objects.find(isNotebook));
  const places = placesIn(objects);
  const workspace = [before.workspace?.mount, home].map((path) => places.find((place) => path !== undefined && path !== "" && place.mount["mountPath"] === path)).find((place) => place !== undefined);
  return {
    workspace: workspace && formOf(workspace, notebook),
    dataVolumes: places.filter((place) => place !== workspace).map((place) => formOf(place, notebook)),
  };
}

function formOf({ mount, volume, claim }: Place, notebook: string): VolumeForm {
  const form = { ...emptyVolume, mount: textOf(mount["mountPath"]) };
  if (claim !== undefined) return { ...form, ...newClaim(claim, notebook) };
  const source = without(volume ?? {}, "name");
  const simple: VolumeForm = { ...form, kind: "existing", claim: claimOf(volume), readOnly: dig(volume, "persistentVolumeClaim", "readOnly") === true };
  if (isSame(source, volumeBody(simple)["existingSource"])) return simple;
  return { ...form, kind: "existingYaml", yaml: stringify(source, { lineWidth: 0 }) };
}

/** A claim with nothing but what the form has fields for, or its YAML. */
function newClaim(claim: ManifestObject, notebook: string): Partial<VolumeForm> {
  const spec = recordOf(claim["spec"]);
  const name = nameOf(claim);
  const simple: Partial<VolumeForm> = {
    kind: "new",
    name: name.startsWith(`${notebook}-`) ? `${PLACEHOLDER}${name.slice(notebook.length)}` : name,
    size: textOf(dig(spec, "resources", "requests", "storage")),
    mode: textOf(listOf(spec["accessModes"])[0]),
    storageClass: textOf(spec["storageClassName"]),
  };
  const { metadata } = claim;
  const said = volumeBody(fillName({ ...emptyVolume, ...simple }, notebook))["newPvc"];
  if (isSame({ metadata, spec }, said)) return simple;
  return { kind: "newYaml", name, yaml: stringify({ metadata, spec }, { lineWidth: 0 }) };
}

/** Changes `objects`. */
export function writeVolumes(objects: ManifestObject[], before: VolumesOfForm | undefined, after: VolumesOfForm): void {
  const places = before === undefined ? [] : placesIn(objects);
  const workspace = before?.workspace === undefined ? undefined : places.find((place) => place.mount["mountPath"] === before.workspace?.mount);
  const data = places.filter((place) => place !== workspace);
  const step = (place: Place | undefined, old: VolumeForm | undefined, next: VolumeForm | undefined, isFirst = false): void => {
    if (next === undefined) {
      if (place !== undefined) remove(objects, place);
    } else if (place === undefined || old === undefined || before === undefined) add(objects, fillName(next, after.name), isFirst);
    else update(objects, place, fillName(old, before.name), fillName(next, after.name));
  };
  if (before?.workspace !== undefined || after.workspace !== undefined) step(workspace, before?.workspace, after.workspace, true);
  const old = before?.dataVolumes ?? [];
  if (old.length === after.dataVolumes.length) {
    old.forEach((volume, index) => step(data[index], volume, after.dataVolumes[index]));
    return;
  }
  // One that is neither new nor gone is the same object as before.
  old.forEach((volume, index) => step(data[index], volume, after.dataVolumes.find((one) => one === volume)));
  for (const volume of after.dataVolumes.filter((one) => !old.includes(one))) step(undefined, undefined, volume);
}

function update(objects: ManifestObject[], place: Place, old: VolumeForm, next: VolumeForm): void {
  if (old.mount !== next.mount) place.mount["mountPath"] = next.mount;
  if (isSame(without(volumeBody(next), "mount"), without(volumeBody(old), "mount"))) return;
  const isShared = usersOf(objects, textOf(place.mount["name"])) > 1;
  if (next.kind === "new" && old.kind === "new" && place.claim !== undefined && place.volume !== undefined && !isShared) {
    changeClaim(place.claim, old, next);
    if (old.name !== next.name) rename(objects, place, old.name, next.name);
    return;
  }
  detach(objects, place);
  attach(objects, place.mount, next);
}

/** Only what the form shows; the rest of the claim stays. */
function changeClaim(claim: ManifestObject, old: VolumeForm, next: VolumeForm): void {
  const spec = within(claim, "spec");
  if (old.size !== next.size) within(spec, "resources", "requests")["storage"] = next.size;
  if (old.mode !== next.mode) spec["accessModes"] = [next.mode];
  if (old.storageClass === next.storageClass) return;
  if (next.storageClass === "") delete spec["storageClassName"];
  else spec["storageClassName"] = next.storageClass;
}

/** The claim, the volume that names it, and the mounts of a volume that has the claim's name. */
function rename(objects: ManifestObject[], { claim, volume }: Place, old: string, next: string): void {
  if (claim === undefined || volume === undefined) return;
  within(claim, "metadata")["name"] = next;
  within(volume, "persistentVolumeClaim")["claimName"] = next;
  const pod = podOf(objects);
  const before = textOf(volume["name"]);
  const wanted = volumeName(volume, objects);
  const isTaken = recordsOf(pod["volumes"]).some((one) => one !== volume && one["name"] === wanted);
  if (isTaken || (before !== old && LABEL.test(old))) return;
  volume["name"] = wanted;
  for (const mount of allMounts(pod)) if (mount["name"] === before) mount["name"] = wanted;
}

const allMounts = (pod: Fields): Fields[] => ["initContainers", "containers"].flatMap((list) => recordsOf(pod[list])).flatMap((container) => recordsOf(container["volumeMounts"]));
const usersOf = (objects: ManifestObject[], volume: string): number => allMounts(podOf(objects)).filter((mount) => mount["name"] === volume).length;

/** The claim's name, where a volume may have it: a claim's may be longer, and have dots. */
function volumeName(source: Fields, objects: ManifestObject[]): string {
  const claim = claimOf(source);
  if (LABEL.test(claim) && claim.length <= MAX_LABEL) return claim;
  const taken = recordsOf(podOf(objects)["volumes"]).map((volume) => volume["name"]);
  const notebook = nameOf(objects.find(isNotebook)) || "notebook";
  let number = recordsOf(podOf(objects)["volumes"]).filter((volume) => volume !== source).length;
  while (taken.includes(`${notebook}-volume-${number}`) && source["name"] !== `${notebook}-volume-${number}`) number += 1;
  return `${notebook}-volume-${number}`;
}

/** The objects with volumes that were only numbered named by what they are: which number one gets depends on what was there when it was added. */
export function withoutNumbers(objects: ManifestObject[]): ManifestObject[] {
  const copies = structuredClone(objects);
  const pod = podOf(copies);
  for (const volume of recordsOf(pod["volumes"]).filter((one) => NUMBERED.test(textOf(one["name"])))) {
    const before = volume["name"];
    volume["name"] = JSON.stringify(without(volume, "name"));
    for (const mount of allMounts(pod)) if (mount["name"] === before) mount["name"] = volume["name"];
  }
  return copies;
}

function add(objects: ManifestObject[], next: VolumeForm, isFirst: boolean): void {
  const pod = podOf(objects);
  const container = recordOf(listOf(pod["containers"])[0]);
  const mount: Fields = { name: "", mountPath: next.mount };
  const mounts = recordsOf(container["volumeMounts"]);
  container["volumeMounts"] = isFirst ? [mount, ...mounts] : [...mounts, mount];
  attach(objects, mount, next);
}

/** Gives a mount its volume, and makes the claim of a new one. */
function attach(objects: ManifestObject[], mount: Fields, next: VolumeForm): void {
  const pod = podOf(objects);
  const { newPvc, existingSource } = volumeBody(next);
  const isNew = next.kind === "new" || next.kind === "newYaml";
  const claim = recordOf(newPvc);
  const metadata = { ...recordOf(claim["metadata"]), name: nameOf(claim) || next.name };
  if (isNew) objects.push({ apiVersion: "v1", kind: CLAIMS.kind, metadata, spec: recordOf(claim["spec"]) });
  const source: Fields = isNew ? { persistentVolumeClaim: { claimName: metadata.name } } : recordOf(existingSource);
  const name = volumeName(source, objects);
  mount["name"] = name;
  const volumes = recordsOf(pod["volumes"]);
  if (!volumes.some((volume) => volume["name"] === name)) pod["volumes"] = [...volumes, { name, ...source }];
}

function remove(objects: ManifestObject[], place: Place): void {
  const container = recordOf(listOf(podOf(objects)["containers"])[0]);
  const left = recordsOf(container["volumeMounts"]).filter((mount) => mount !== place.mount);
  if (left.length > 0) container["volumeMounts"] = left;
  else delete container["volumeMounts"];
  detach(objects, place);
}

/** Takes the volume from the pod, and its new claim with it, unless something else uses them. */
function detach(objects: ManifestObject[], { mount, volume, claim }: Place): void {
  const pod = podOf(objects);
  if (allMounts(pod).some((other) => other !== mount && other["name"] === volume?.["name"])) return;
  const left = recordsOf(pod["volumes"]).filter((one) => one !== volume);
  if (left.length > 0) pod["volumes"] = left;
  else delete pod["volumes"];
  if (claim !== undefined && !left.some((one) => claimOf(one) === nameOf(claim))) objects.splice(objects.indexOf(claim), 1);
}

export function readSharedMemory(notebook: ManifestObject): boolean {
  const pod = podOf([notebook]);
  return mountsIn(pod).some((mount) => isSharedMemory(mount, pod));
}

/** Changes `objects`. */
export function writeSharedMemory(objects: ManifestObject[], before: boolean, after: boolean): void {
  if (before === after) return;
  const pod = podOf(objects);
  const container = recordOf(listOf(pod["containers"])[0]);
  const found = mountsIn(pod).find((mount) => isSharedMemory(mount, pod));
  if (found !== undefined && !after) remove(objects, { mount: found, volume: recordsOf(pod["volumes"]).find((volume) => volume["name"] === found["name"]), claim: undefined });
  if (found !== undefined || !after) return;
  container["volumeMounts"] = [...recordsOf(container["volumeMounts"]), { name: SHARED_MEMORY.name, mountPath: SHARED_MEMORY.path }];
  if (!recordsOf(pod["volumes"]).some((volume) => volume["name"] === SHARED_MEMORY.name)) {
    pod["volumes"] = [...recordsOf(pod["volumes"]), { name: SHARED_MEMORY.name, emptyDir: { medium: "Memory" } }];
  }
}
