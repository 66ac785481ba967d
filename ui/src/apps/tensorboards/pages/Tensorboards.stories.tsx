import type { ReactNode } from "react";
import type { Live } from "../../../api/hooks";
import { Followed } from "../../../gallery/Followed";
import { failed, forbidden, live, loading, stale } from "../../../gallery/live";
import { ago, events } from "../../../gallery/samples";
import { TENSORBOARD } from "../samples";
import type { Pod, Tensorboard, TensorboardRow, TensorboardsView } from "../../../kinds/generated";
import type { Look } from "../../../parts/form/FormAndYaml";
import { Page } from "../../../parts/page/Page";
import { TensorboardForm } from "./NewTensorboard";
import { TensorboardPage } from "./TensorboardDetails";
import { TensorboardListPage } from "./TensorboardList";

const row = (name: string, change: Partial<TensorboardRow> = {}): TensorboardRow => ({ ...TENSORBOARD, name, uid: name, ...change });
const status = (phase: TensorboardRow["status"]["phase"], message = "") => ({ phase, message, state: "" });
const EVERY = [
  row("bert-curves"),
  row("starting", { status: status("waiting", "The board is starting.") }),
  row("missing-volume", { status: status("error", 'persistentvolumeclaim "logs" does not exist') }),
  row("in-a-bucket", { logspath: "s3://experiments/bert/2026-11-17", claim: "" }),
  row("going", { status: status("terminating") }),
];
const many = Array.from({ length: 300 }, (_, index) => row(`board-${index}`));
const list = (boards: Live<TensorboardsView>, more: { hasNamespaces?: boolean; missingCreate?: string } = {}) => <TensorboardListPage boards={boards} hasNamespaces={false} {...more} />;

const metadata = (name: string) => ({ name, namespace: "ml", uid: name, resourceVersion: "1", creationTimestamp: ago(7_200) });
const board: Tensorboard = { apiVersion: "tensorboard.kubeflow.org/v1alpha1", kind: "Tensorboard", metadata: metadata("bert-curves"), spec: { logspath: TENSORBOARD.logspath } };
const pod = { apiVersion: "v1", kind: "Pod", metadata: metadata("bert-curves-7d9c"), spec: { nodeName: "node-1", containers: [{ name: "tensorboard", image: "windlass/tensorboard:latest" }] } } as unknown as Pod;
const details = (one: TensorboardRow, ofPod: Pod | undefined) => (
  <Followed values={{ objects: events(2) }}>
    <TensorboardPage row={one} board={board} pod={ofPod} />
  </Followed>
);
const nothing = () => undefined;
const form = (claims: { name: string; size: string; mode: string }[], look: Look = "form") => (
  <Page title="New TensorBoard">
    <TensorboardForm namespace="ml" start={{ claim: claims[0]?.name ?? "", path: "logs" }} claims={claims} podDefaults={[]} used={["bert-curves"]} look={look} onLook={nothing} />
  </Page>
);

export const title = "TensorBoards pages";
export const stories: Record<string, () => ReactNode> = {
  "list, every state": () => list(live({ rows: EVERY })),
  "list, many rows": () => list(live({ rows: many }), { hasNamespaces: true }),
  "list, empty": () => list(live({ rows: [] })),
  "list, empty and not to be filled": () => list(live({ rows: [] }), { missingCreate: "create tensorboards" }),
  "list, loading": () => list(loading()),
  "list, stale": () => list(stale({ rows: EVERY })),
  "list, failed": () => list(failed({ rows: EVERY })),
  "list, forbidden": () => list(forbidden()),
  "details, running": () => details(row("bert-curves"), pod),
  "details, starting": () => details(row("bert-curves", { status: status("waiting", "The board is starting.") }), undefined),
  "details, failed": () => details(row("bert-curves", { status: status("error", 'persistentvolumeclaim "logs" does not exist') }), undefined),
  form: () => form([{ name: "datasets", size: "10Gi", mode: "ReadWriteOnce" }]),
  "form, no volumes": () => form([]),
  "form, as YAML": () => form([{ name: "datasets", size: "10Gi", mode: "ReadWriteOnce" }], "yaml"),
};
