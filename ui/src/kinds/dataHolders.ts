/** Objects that hold data, or take objects that do with them: they are deleted only when their name is typed. Pure. */
import type { Resource } from "../api/k8s";

export type Held = "volume" | "namespace" | "snapshot";

const HOLDERS: Record<string, Held> = {
  "/PersistentVolumeClaim": "volume",
  "/PersistentVolume": "volume",
  "/Namespace": "namespace",
  "kubeflow.org/Profile": "namespace",
  "snapshot.storage.k8s.io/VolumeSnapshot": "snapshot",
  "snapshot.storage.k8s.io/VolumeSnapshotContent": "snapshot",
};

/** What is lost with an object of this kind; undefined for what can be made again from its manifest. */
export const heldBy = (resource: Pick<Resource, "group" | "kind">): Held | undefined => HOLDERS[`${resource.group}/${resource.kind}`];
