/** A new volume as a form and as a PersistentVolumeClaim. Pure. */
import { assign, dig, isRecord, listOf, recordOf, textOf, within, type ManifestObject } from "../../../kinds/manifest";
import { CLAIMS, SNAPSHOTS, creationManifest, type VolumeCreation } from "./volumes";

export const DEFAULT_CLASS = "{empty}";
export const NO_CLASS = "{none}";
const SOURCES = ["dataSource", "dataSourceRef"];

export const initialVolume: VolumeCreation = { name: "", storageClass: DEFAULT_CLASS, mode: "ReadWriteOnce", size: "10Gi", type: "empty", snapshot: "", source: "" };

const isClaim = (object: ManifestObject): boolean => object["kind"] === CLAIMS.kind;

export const volumeObjects = (form: VolumeCreation): ManifestObject[] => [creationManifest(form)];

export function readVolume(objects: ManifestObject[], before: VolumeCreation): VolumeCreation {
  const claim = objects.find(isClaim);
  if (claim === undefined) return before;
  const spec = recordOf(claim["spec"]);
  const storageClass = spec["storageClassName"];
  return {
    ...before,
    name: textOf(dig(claim, "metadata", "name")),
    size: textOf(dig(spec, "resources", "requests", "storage")),
    mode: textOf(listOf(spec["accessModes"])[0]),
    storageClass: storageClass === undefined || storageClass === null ? DEFAULT_CLASS : textOf(storageClass) || NO_CLASS,
    ...contentOf(spec),
  };
}

/** What a claim begins with. A source of another kind has no control, and is kept. */
function contentOf(spec: Record<string, unknown>): Partial<VolumeCreation> {
  const source = SOURCES.map((field) => spec[field]).find(isRecord);
  const name = textOf(source?.["name"]);
  if (source?.["kind"] === SNAPSHOTS.kind) return { type: "snapshot", snapshot: name };
  if (source?.["kind"] === CLAIMS.kind) return { type: "clone", source: name };
  return { type: "empty" };
}

export function writeVolume(objects: ManifestObject[], before: VolumeCreation, after: VolumeCreation): ManifestObject[] {
  const copies = structuredClone(objects);
  const claim = copies.find(isClaim);
  if (claim === undefined) return objects;
  const wanted = recordOf(creationManifest(after)["spec"]);
  const spec = within(claim, "spec");
  const isChanged = (...fields: (keyof VolumeCreation)[]): boolean => fields.some((field) => before[field] !== after[field]);
  if (isChanged("name")) within(claim, "metadata")["name"] = after.name;
  if (isChanged("size")) within(spec, "resources", "requests")["storage"] = after.size;
  // Modes after the first are not in the form, and stay.
  if (isChanged("mode")) spec["accessModes"] = [after.mode, ...listOf(spec["accessModes"]).slice(1).filter((mode) => mode !== after.mode)];
  if (isChanged("storageClass")) assign(spec, "storageClassName", wanted["storageClassName"]);
  if (isChanged("type", "snapshot", "source")) {
    delete spec["dataSourceRef"];
    assign(spec, "dataSource", wanted["dataSource"]);
  }
  return copies;
}

export const VOLUME_LENS = { read: readVolume, write: writeVolume };
