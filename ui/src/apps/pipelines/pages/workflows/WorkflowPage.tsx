import { useNavigate } from "@tanstack/react-router";
import { memo, useMemo } from "react";
import { workflowLogPath } from "../../api/argo";
import type { Workflow } from "../../../../kinds/generated";
import { PATHS, RUN_ID_LABEL, WORKFLOWS } from "../../kinds/pipelines";
import { allNodes, type GraphNode } from "../../kinds/graph/pipelinesGraph";
import { isFinal } from "../../kinds/graph/pipelinesTasks";
import { workflowGraph } from "../../kinds/workflows/workflowNodes";
import { WORKFLOW_PATHS, hasFailed, isOver, rowOf, workflowPill, workflowSeconds, workflowState, type WorkflowRow } from "../../kinds/workflows/workflows";
import { Button } from "../../../../parts/button/Button";
import { ButtonLink } from "../../../../parts/button/ButtonLink";
import { CommandHint } from "../../../../parts/command/CommandHint";
import { WhyCard } from "../../../../parts/feedback/WhyCard";
import { ActionMenu } from "../../../../parts/overlay/ActionMenu";
import { Page } from "../../../../parts/page/Page";
import { PageTabs } from "../../../../parts/page/PageTabs";
import { Pill } from "../../../../parts/pill/Pill";
import { duration } from "../../../../parts/text/times";
import { useSpeech } from "../../../../words";
import { ObjectEvents } from "../../../../pages/details/ObjectEvents";
import { ObjectYaml } from "../../../../pages/details/ObjectYaml";
import { GraphView } from "../tasks/GraphView";
import { RunTimeline } from "../runs/RunTimeline";
import type { TaskSource } from "../tasks/taskSource";
import { WorkflowFacts } from "./WorkflowFacts";
import { WorkflowWhyCard } from "./WorkflowWhyCard";
import { useWorkflowActions } from "./useWorkflowActions";

/** The page of one Workflow, given the object. */
export const WorkflowPage = memo(function WorkflowPage({ workflow }: { workflow: Workflow }) {
  const { words } = useSpeech();
  const own = words.workflows;
  const navigate = useNavigate();
  const row = useMemo(() => rowOf(workflow), [workflow]);
  const nodes = useMemo(() => workflowGraph(workflow), [workflow]);
  const { name, namespace } = row;
  const source = useMemo(() => sourceOfWorkflow({ namespace, name }), [namespace, name]);
  const actions = useWorkflowActions(row, () => void navigate({ to: WORKFLOW_PATHS.workflows }));
  const state = workflowState(row);
  const main = actions.find((action) => action.id === (hasFailed(state) ? "retry" : isOver(state) ? "resubmit" : "stop"));
  const runId = row.labels[RUN_ID_LABEL];
  return (
    <Page
      title={name}
      isName
      badge={<Pill state={workflowPill(state)} label={own.states[state]} />}
      sentence={useSentence(row, nodes)}
      parent={{ to: WORKFLOW_PATHS.workflows, label: own.title }}
      actions={
        <>
          {main && <Button label={main.label} icon={main.icon} missing={main.missing} disabledReason={main.disabledReason} onPress={main.onAction} />}
          <CommandHint lines={commandsOf(row)} />
          <ActionMenu actions={actions.filter((action) => action !== main)} />
        </>
      }
      full
    >
      {runId !== undefined && <WhyCard state="running" sentence={own.isRun} action={<ButtonLink to={PATHS.run(runId)}>{own.openRun}</ButtonLink>} />}
      <WorkflowWhyCard row={row} nodes={nodes} />
      <PageTabs
        label={name}
        tabs={[
          { id: "graph", label: words.pipelines.run.graph, content: () => <GraphView nodes={nodes} name={name} source={source} namespace={namespace} isSpecKnown empty={own.noSpec} /> },
          { id: "timeline", label: words.pipelines.run.timeline, content: () => <RunTimeline nodes={nodes} /> },
          { id: "details", label: own.details, content: () => <WorkflowFacts workflow={workflow} row={row} /> },
          { id: "events", label: words.common.events, content: () => <ObjectEvents resource={WORKFLOWS} object={row} /> },
          { id: "yaml", label: words.common.yaml, content: () => <ObjectYaml objects={[{ resource: WORKFLOWS, object: workflow }]} /> },
        ]}
      />
    </Page>
  );
});

/** How long it ran, or how far it is. */
function useSentence(row: WorkflowRow, nodes: GraphNode[]): string {
  const { words, language } = useSpeech();
  const own = words.workflows;
  const seconds = workflowSeconds(row, Date.now());
  if (seconds === undefined) return own.notYet;
  if (isOver(workflowState(row))) return own.ran(duration(seconds, language));
  const leaves = allNodes(nodes).filter((node) => node.children.length === 0);
  return own.running(leaves.filter((node) => isFinal(node.state)).length, leaves.length);
}

const sourceOfWorkflow = (key: { namespace: string; name: string }): TaskSource => ({
  logOf: (pod) => ({ path: workflowLogPath(key, pod), format: "argo" }),
  hasVisualisations: false,
  hasMetadata: false,
});

function commandsOf({ name, namespace, isSuspended }: WorkflowRow): string[] {
  const patch = (spec: string) => `kubectl patch workflow ${name} -n ${namespace} --type=merge -p '{"spec": ${spec}}'`;
  return [`kubectl get workflow ${name} -n ${namespace} -o yaml`, patch(`{"suspend": ${isSuspended ? "null" : "true"}}`), patch('{"shutdown": "Stop"}')];
}
