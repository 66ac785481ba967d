/** TensorBoards over the logs that tasks of v1 runs name. Pure. */
import { MAX_NAME } from "../../tensorboards/kinds/tensorboards";

/** The claim of a namespace's artifacts; `minio://bucket/key` is its folder `minio/bucket/key`. */
const ARTIFACT_CLAIM = "pipeline-artifacts";

/** Where a TensorBoard reads what a task calls `source`; undefined where none can. */
export function logsOf(source: string): string | undefined {
  // Several series are `name:place,name:place`: the first is shown.
  const first = source.split(",")[0]?.trim().replace(/^[\w .-]+:(?=[a-z0-9]+:\/\/)/, "") ?? "";
  const match = /^([a-z0-9]+):\/\/([^/]+)\/?(.*)$/.exec(first);
  if (match === null) return undefined;
  const [, scheme = "", place = "", path = ""] = match;
  if (scheme === "minio") return `pvc://${ARTIFACT_CLAIM}/minio/${place}/${path}`.replace(/\/+$/, "");
  if (scheme === "volume" || scheme === "pvc") return `pvc://${place}/${path}`.replace(/\/+$/, "");
  return ["s3", "gs", "gcs"].includes(scheme) ? first.replace(/^gcs:/, "gs:") : undefined;
}

/** The name of the board of a place: the same each time, and another for each place. */
export function boardOf(source: string): string {
  let hash = 0x811c9dc5;
  for (const character of source) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  const last = source.replace(/\/+$/, "").split("/").at(-1) ?? "";
  const word = last.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^[^a-z]+|-+$/g, "");
  const suffix = hash.toString(16).padStart(8, "0");
  return `${(word || "logs").slice(0, MAX_NAME - suffix.length - 1).replace(/-+$/, "")}-${suffix}`;
}
