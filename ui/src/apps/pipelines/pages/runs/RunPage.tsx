import { useNavigate } from "@tanstack/react-router";
import { memo, useMemo } from "react";
import { PATHS, RUN_ID_LABEL, hasEnded, isActive, nameOf, pillState, runSeconds, stateOf, type PipelineVersion, type Run } from "../../kinds/pipelines";
import { allNodes, failedNode, runGraph, waitingNode, type GraphNode } from "../../kinds/graph/pipelinesGraph";
import { readSpec } from "../../kinds/graph/pipelinesSpec";
import { isFinal, recordsOf } from "../../kinds/graph/pipelinesTasks";
import { Button } from "../../../../parts/button/Button";
import { CommandHint } from "../../../../parts/command/CommandHint";
import { WhyCard } from "../../../../parts/feedback/WhyCard";
import { ActionMenu } from "../../../../parts/overlay/ActionMenu";
import { Page } from "../../../../parts/page/Page";
import { PageTabs } from "../../../../parts/page/PageTabs";
import { Pill } from "../../../../parts/pill/Pill";
import { duration } from "../../../../parts/text/times";
import { useSpeech } from "../../../../words";
import { GraphView } from "../tasks/GraphView";
import { PastRuns } from "./PastRuns";
import { RunFacts } from "./RunFacts";
import { RunOutput } from "./RunOutput";
import { RunTimeline } from "./RunTimeline";
import { SpecYaml } from "../catalogue/SpecYaml";
import { sourceOfRun } from "../tasks/taskSource";
import { useRunActions } from "./useRunActions";

interface RunPageProps {
  run: Run;
  /** The specification that it runs; undefined until it is known. */
  spec: unknown;
  isSpecKnown: boolean;
  namespace: string;
  version: PipelineVersion | undefined;
}

/** The page of one run, given what is known of it. */
export const RunPage = memo(function RunPage({ run, spec, isSpecKnown, namespace, version }: RunPageProps) {
  const { words, language } = useSpeech();
  const own = words.pipelines;
  const navigate = useNavigate();
  const steps = useMemo(() => readSpec(spec), [spec]);
  const ended = hasEnded(run);
  const nodes = useMemo(() => runGraph(steps?.steps ?? [], recordsOf(run), ended), [steps, run, ended]);
  const source = useMemo(() => sourceOfRun(run.run_id, steps?.isArgo ?? false), [run.run_id, steps]);
  const actions = useRunActions(run, namespace, () => void navigate({ to: PATHS.runs }));
  const main = actions.find((action) => action.id === (isActive(run) ? "terminate" : stateOf(run) === "FAILED" ? "retry" : "clone"));
  const state = stateOf(run);
  const seconds = runSeconds(run, Date.now());
  const leaves = allNodes(nodes).filter((node) => node.children.length === 0);
  const sentence = ended
    ? seconds === undefined
      ? (steps?.name ?? "")
      : own.run.ran(duration(seconds, language))
    : own.run.running(leaves.filter((node) => isFinal(node.state)).length, leaves.length);
  return (
    <Page
      title={nameOf(run)}
      isName
      badge={<Pill state={pillState(state)} label={own.runStates[state]} />}
      sentence={sentence}
      parent={{ to: PATHS.runs, label: own.runs.title }}
      actions={
        <>
          {main && <Button label={main.label} icon={main.icon} missing={main.missing} disabledReason={main.disabledReason} onPress={main.onAction} />}
          <CommandHint lines={commandsOf(run, namespace)} />
          <ActionMenu actions={actions.filter((action) => action !== main)} />
        </>
      }
      full
    >
      <RunWhy run={run} nodes={nodes} />
      <PastRuns run={run} />
      <PageTabs
        label={nameOf(run)}
        tabs={[
          { id: "graph", label: own.run.graph, content: () => <GraphView nodes={nodes} name={nameOf(run)} source={source} namespace={namespace} isSpecKnown={isSpecKnown} empty={own.run.noSpec} /> },
          ...(steps?.isArgo ? [{ id: "output", label: own.run.output, content: () => <RunOutput run={run} namespace={namespace} /> }] : []),
          { id: "timeline", label: own.run.timeline, content: () => <RunTimeline nodes={nodes} /> },
          { id: "details", label: own.run.details, content: () => <RunFacts run={run} namespace={namespace} version={version} /> },
          { id: "spec", label: own.run.spec, content: () => <SpecYaml spec={spec} label={nameOf(run)} /> },
        ]}
      />
    </Page>
  );
});

/** The reason for which a run waits or failed. */
function RunWhy({ run, nodes }: { run: Run; nodes: GraphNode[] }) {
  if (stateOf(run) === "FAILED" || run.error?.message !== undefined) return <RunFailure run={run} nodes={nodes} />;
  const waiting = isActive(run) ? waitingNode(nodes) : undefined;
  return waiting === undefined ? null : <WhyCard state="waiting" sentence={waiting.label} detail={<span lang="en">{waiting.record?.message}</span>} />;
}

/** What failed, in the words of the task that did, and the way to its log. */
function RunFailure({ run, nodes }: { run: Run; nodes: GraphNode[] }) {
  const { words } = useSpeech();
  const navigate = useNavigate();
  const failed = failedNode(nodes);
  const open = (panel: string) =>
    void navigate({ to: ".", search: (before: Record<string, unknown>) => ({ ...before, tab: undefined, node: failed?.id, panel }), replace: true });
  const message = failed?.record?.message || run.error?.message || "";
  const sentence = failed === undefined ? message || words.pipelines.runStates.FAILED : words.pipelines.run.failedTask(failed.label);
  return (
    <WhyCard
      state="failed"
      sentence={sentence}
      detail={failed !== undefined && message !== "" ? message : undefined}
      action={failed && <Button icon="terminal" label={words.pipelines.run.openLogs} onPress={() => open("logs")} />}
    />
  );
}

function commandsOf(run: Run, namespace: string): string[] {
  const endpoint = `${location.origin}/pipeline`;
  return [`kfp --endpoint ${endpoint} run get ${run.run_id}`, ...(namespace === "" ? [] : [`kubectl get workflows -n ${namespace} -l ${RUN_ID_LABEL}=${run.run_id}`])];
}
