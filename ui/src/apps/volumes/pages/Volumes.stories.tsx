import type { ReactNode } from "react";
import type { Live } from "../../../api/hooks";
import { Followed } from "../../../gallery/Followed";
import { failed, forbidden, live, loading, stale } from "../../../gallery/live";
import { ago, events } from "../../../gallery/samples";
import { VOLUME } from "../samples";
import type { PersistentVolumeClaim, VolumeRow, VolumeSnapshot, VolumesView } from "../../../kinds/generated";
import type { Look } from "../../../parts/form/FormAndYaml";
import { Page } from "../../../parts/page/Page";
import { VolumeCreationForm } from "./NewVolume";
import { VolumePage } from "./VolumeDetails";
import { ResizeDialog, SnapshotDialog } from "./VolumeDialogs";
import { VolumeListPage } from "./VolumeList";

const row = (name: string, change: Partial<VolumeRow> = {}): VolumeRow => ({ ...VOLUME, name, uid: name, ...change });
const status = (phase: VolumeRow["status"]["phase"], message = "") => ({ phase, message, state: "" });
const EVERY = [
  row("datasets"),
  row("full", { usedBytes: 9.9 * 2 ** 30 }),
  row("waits", { status: status("unavailable", "The volume is made when a pod first uses it."), usedBytes: null, usedAt: null, notebooks: [] }),
  row("being-made", { status: status("waiting", "Provisioning"), usedBytes: null, usedAt: null }),
  row("broken", { status: status("error", 'storageclass.storage.k8s.io "fast" not found'), usedBytes: null, usedAt: null }),
  row("open", { viewer: { status: "ready", url: "/pvcviewers/ml/open/" } }),
  row("nobody-s", { isOrphan: true, notebooks: [] }),
  row("a-volume-with-a-rather-long-name-of-a-data-set-in-several-versions", { notebooks: ["lab", "scratch", "bert-large"] }),
];
const many = Array.from({ length: 300 }, (_, index) => row(`data-${index}`));
const list = (volumes: Live<VolumesView>, more: { hasNamespaces?: boolean; missingCreate?: string } = {}) => <VolumeListPage volumes={volumes} hasNamespaces={false} {...more} />;

const metadata = (name: string) => ({ name, namespace: "ml", uid: name, resourceVersion: "1", creationTimestamp: ago(86_400) });
const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: metadata("datasets"), spec: { accessModes: ["ReadWriteOnce"], volumeName: "pvc-0f3d" } } as unknown as PersistentVolumeClaim;
const snapshot = (name: string, readyToUse: boolean): VolumeSnapshot =>
  ({ apiVersion: "snapshot.storage.k8s.io/v1", kind: "VolumeSnapshot", metadata: metadata(name), spec: { source: { persistentVolumeClaimName: "datasets" } }, status: { readyToUse, restoreSize: "3Gi" } }) as unknown as VolumeSnapshot;
const details = (one: VolumeRow, snapshots: VolumeSnapshot[] = []) => (
  <Followed values={{ objects: events(2) }}>
    <VolumePage row={one} claim={claim} snapshots={snapshots} />
  </Followed>
);
const nothing = () => undefined;
const form = (type: "empty" | "snapshot" | "clone", look: Look = "form") => (
  <Page title="New volume">
    <VolumeCreationForm namespace="ml" start={{ type, source: "datasets", snapshot: "before-cleaning" }} classes={{ names: ["standard", "fast"], preset: "standard" }} claims={["datasets"]} snapshots={["before-cleaning"]} look={look} onLook={nothing} />
  </Page>
);

export const title = "Volumes pages";
export const stories: Record<string, () => ReactNode> = {
  "list, every state": () => list(live({ rows: EVERY })),
  "list, many rows": () => list(live({ rows: many }), { hasNamespaces: true }),
  "list, empty": () => list(live({ rows: [] })),
  "list, empty and not to be filled": () => list(live({ rows: [] }), { missingCreate: "create persistentvolumeclaims" }),
  "list, loading": () => list(loading()),
  "list, stale": () => list(stale({ rows: EVERY })),
  "list, failed": () => list(failed({ rows: EVERY })),
  "list, forbidden": () => list(forbidden()),
  "details, used": () => details(row("datasets"), [snapshot("before-cleaning", true), snapshot("now", false)]),
  "details, waits for its first use": () => details(row("datasets", { status: status("unavailable", "The volume is made when a pod first uses it."), usedBytes: null, usedAt: null, notebooks: [] })),
  "details, failed": () => details(row("datasets", { status: status("error", 'storageclass.storage.k8s.io "fast" not found') })),
  form: () => form("empty"),
  "form, as YAML": () => form("clone", "yaml"),
  "form, from a snapshot": () => form("snapshot"),
  "form, copy": () => form("clone"),
  resize: () => <ResizeDialog row={row("datasets")} onClose={nothing} />,
  snapshot: () => <SnapshotDialog row={row("datasets")} onClose={nothing} />,
};
