import { expect, test } from "vitest";
import { heldBy } from "./dataHolders";

test.each([
  ["", "PersistentVolumeClaim", "volume"],
  ["", "PersistentVolume", "volume"],
  ["", "Namespace", "namespace"],
  ["kubeflow.org", "Profile", "namespace"],
  ["snapshot.storage.k8s.io", "VolumeSnapshot", "snapshot"],
  ["snapshot.storage.k8s.io", "VolumeSnapshotContent", "snapshot"],
  ["", "Pod", undefined],
  ["", "ConfigMap", undefined],
  ["example.com", "Namespace", undefined],
])("what is lost with %s/%s", (group, kind, held) => {
  expect(heldBy({ group, kind })).toBe(held);
});
