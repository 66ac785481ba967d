import type { ReactNode } from "react";
import { Cached } from "../../../../gallery/Cached";
import { failed, forbidden, live, loading, stale } from "../../../../gallery/live";
import { ACTIVE_CRON, FAILED, LOCKED, NEW, PAUSED, REFUSED, RUNNING, STOPPED_CRON, STOPPING, SUCCEEDED, SUSPENDED, SUSPENDED_CRON, WAITING, crons, workflowRows } from "../../samples/workflows";
import type { Workflow } from "../../../../kinds/generated";
import { findNode } from "../../kinds/graph/pipelinesGraph";
import { workflowGraph } from "../../kinds/workflows/workflowNodes";
import { RUN_ID_LABEL } from "../../kinds/pipelines";
import { rowOf } from "../../kinds/workflows/workflows";
import { NodePanel } from "../tasks/NodePanel";
import { CronFacts } from "./CronFacts";
import { CronWorkflowPage } from "./CronWorkflowDetails";
import { CronWorkflowListView } from "./CronWorkflowList";
import { WorkflowFacts } from "./WorkflowFacts";
import { WorkflowListView } from "./WorkflowList";
import { WorkflowPage } from "./WorkflowPage";

const nothing = () => undefined;
const source = { logOf: () => ({ path: "" }), hasVisualisations: false, hasMetadata: false };
const page = (workflow: Workflow) => <Cached><WorkflowPage workflow={workflow} /></Cached>;
const panel = (workflow: Workflow, id: string) => {
  const node = findNode(workflowGraph(workflow), id);
  return <Cached>{node && <NodePanel node={node} source={source} namespace="ml" onClose={nothing} />}</Cached>;
};
const OF_A_RUN: Workflow = { ...RUNNING, metadata: { ...RUNNING.metadata, labels: { [RUN_ID_LABEL]: "run-1" } } };

export const title = "Workflows";
export const stories: Record<string, () => ReactNode> = {
  "list: every state": () => <WorkflowListView live={live(workflowRows(10))} namespace="ml" />,
  "list: many": () => <WorkflowListView live={live(workflowRows(2_000))} namespace="ml" />,
  "list: all namespaces": () => <WorkflowListView live={live(workflowRows(4))} namespace="" />,
  "list: empty": () => <WorkflowListView live={live([])} namespace="ml" />,
  "list: loading": () => <WorkflowListView live={loading()} namespace="ml" />,
  "list: forbidden": () => <WorkflowListView live={forbidden()} namespace="ml" />,
  "list: failed": () => <WorkflowListView live={failed()} namespace="ml" />,
  "list: stale": () => <WorkflowListView live={stale(workflowRows(4))} namespace="ml" />,
  "page: succeeded": () => page(SUCCEEDED),
  "page: failed": () => page(FAILED),
  "page: failed before a step began": () => page(REFUSED),
  "page: running": () => page(RUNNING),
  "page: a pod that does not fit": () => page(WAITING),
  "page: waits for a person": () => page(PAUSED),
  "page: suspended": () => page(SUSPENDED),
  "page: stopping": () => page(STOPPING),
  "page: waits for a lock": () => page(LOCKED),
  "page: just created": () => page(NEW),
  "page: of a run": () => page(OF_A_RUN),
  "step: with outputs": () => panel(SUCCEEDED, "root.load"),
  "step: failed": () => panel(FAILED, "root.fit"),
  "step: waits for a person": () => panel(PAUSED, "root.approve"),
  "step: does not fit": () => panel(WAITING, "root.load"),
  details: () => <Cached><WorkflowFacts workflow={SUCCEEDED} row={rowOf(SUCCEEDED)} /></Cached>,
  "schedules: every state": () => <CronWorkflowListView live={live(crons(3))} namespace="ml" />,
  "schedules: many": () => <CronWorkflowListView live={live(crons(300))} namespace="" />,
  "schedules: empty": () => <CronWorkflowListView live={live([])} namespace="ml" />,
  "schedules: loading": () => <CronWorkflowListView live={loading()} namespace="ml" />,
  "schedules: forbidden": () => <CronWorkflowListView live={forbidden()} namespace="ml" />,
  "schedules: failed": () => <CronWorkflowListView live={failed()} namespace="ml" />,
  "schedule: active": () => <CronWorkflowPage cron={ACTIVE_CRON} workflows={live(workflowRows(4))} />,
  "schedule: suspended, nothing started": () => <CronWorkflowPage cron={SUSPENDED_CRON} workflows={live([])} />,
  "schedule: stopped": () => <CronWorkflowPage cron={STOPPED_CRON} workflows={loading()} />,
  "schedule: details": () => <CronFacts cron={ACTIVE_CRON} />,
};
