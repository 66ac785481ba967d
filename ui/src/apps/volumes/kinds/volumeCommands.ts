/** Buttons of volumes as command lines that do the same. Pure. */
import type { ObjectKey } from "../../../api/k8s";
import { applyCommand, mergeCommand } from "../../../kinds/commands";

export const resizeCommand = (claim: ObjectKey, size: string): string => mergeCommand("pvc", claim, { spec: { resources: { requests: { storage: size } } } });

/** Twice as large, in the same unit: `10Gi` becomes `20Gi`. */
export const doubled = (size: string): string => size.replace(/^[\d.]+/, (number) => String(Number(number) * 2));

export const snapshotManifest = (claim: ObjectKey, name: string): Record<string, unknown> => ({
  apiVersion: "snapshot.storage.k8s.io/v1",
  kind: "VolumeSnapshot",
  metadata: { name, namespace: claim.namespace },
  spec: { source: { persistentVolumeClaimName: claim.name } },
});

export const snapshotCommand = (claim: ObjectKey, name: string): string => applyCommand(JSON.stringify(snapshotManifest(claim, name)));

/** A first volume, where there is none. */
export const newVolumeCommand = (namespace: string): string =>
  applyCommand(`apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: datasets
  namespace: ${namespace}
spec:
  accessModes: [ReadWriteOnce]
  resources:
    requests:
      storage: 10Gi`);

export const snapshotName = (claim: { name: string }, now: Date): string => `${claim.name}-${now.toISOString().slice(0, 10)}`;
