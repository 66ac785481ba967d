import type { ReactNode } from "react";
import { KEYS } from "../../api/pipelines";
import type { Executions } from "../../api/pipelinesExecutions";
import { SESSION_KEY } from "../../../../api/session";
import { Cached } from "../../../../gallery/Cached";
import { failed, forbidden, live, loading, stale } from "../../../../gallery/live";
import { LINEAGE, executions, linksOf } from "../../samples/executions";
import { DATASET, HTML } from "../../samples/pipelines";
import type { Live } from "../../../../api/hooks";
import type { Execution } from "../../kinds/pipelines";
import { ExecutionPage } from "./ExecutionDetails";
import { ExecutionListView } from "./ExecutionList";
import { Lineage } from "../lineage/Lineage";

const SESSION = { user: "ada@example.com", version: "", logoutUrl: "", isClusterAdmin: false, hasMachineView: false, memberships: [{ namespace: "ml", role: "owner" }], hasWorkgroup: true, registrationAllowed: false };
const nothing = () => undefined;

function Known({ children }: { children: ReactNode }) {
  return (
    <Cached
      answers={[
        [SESSION_KEY, SESSION],
        ...LINEAGE.map((one): [string[], unknown] => [KEYS.execution(one.task_id), one]),
        ...["a-data", "a-raw", "a-model", "a-metrics", "a-curve", "a-report"].map((id): [string[], unknown] => [KEYS.links(id), linksOf(id)]),
        [KEYS.links(HTML.artifact_id), []],
      ]}
    >
      {children}
    </Cached>
  );
}

const list = (rows: Live<Execution[]>, more: Partial<Executions> = {}, hasNamespace = false) => (
  <Known>
    <ExecutionListView executions={{ live: rows, total: 0, more: undefined, isReading: false, ...more }} hasNamespace={hasNamespace} />
  </Known>
);
const page = (id: string) => {
  const execution = LINEAGE.find((one) => one.task_id === id);
  return <Known>{execution && <ExecutionPage execution={execution} />}</Known>;
};

export const title = "Executions";
export const stories: Record<string, () => ReactNode> = {
  "list: every state": () => list(live(executions(40))),
  "list: many, all namespaces": () => list(live(executions(2_000)), { total: 12_345, more: nothing }, true),
  "list: reads older ones": () => list(live(executions(12)), { total: 40, more: nothing, isReading: true }),
  "list: empty": () => list(live([])),
  "list: loading": () => list(loading()),
  "list: forbidden": () => list(forbidden()),
  "list: failed": () => list(failed()),
  "list: stale": () => list(stale(executions(5))),
  "details: succeeded": () => page("t-evaluate"),
  "details: failed": () => page("t-check"),
  "details: cached": () => page("t-again"),
  "lineage of an artifact": () => <Known><Lineage focus={{ kind: "artifact", id: "a-data" }} label="data" artifact={DATASET} /></Known>,
  "lineage of an execution": () => <Known><Lineage focus={{ kind: "execution", id: "t-fit" }} label="fit" /></Known>,
  "lineage: nothing known": () => <Known><Lineage focus={{ kind: "artifact", id: HTML.artifact_id }} label="page" artifact={HTML} /></Known>,
};
