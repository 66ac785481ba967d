import { Link, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { KEYS, useLive, useRefresh } from "../../api/pipelines";
import { useExecution } from "../../api/pipelinesExecutions";
import { PATHS, RUN_ID_LABEL, WORKFLOWS, type Execution } from "../../kinds/pipelines";
import { nodePill, recordOf, type TaskRecord } from "../../kinds/graph/pipelinesTasks";
import { ButtonLink } from "../../../../parts/button/ButtonLink";
import { Card, Facts } from "../../../../parts/card/Card";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Loaded } from "../../../../parts/feedback/Loaded";
import { WhyCard } from "../../../../parts/feedback/WhyCard";
import { Columns, Page, Stack } from "../../../../parts/page/Page";
import { PageTabs } from "../../../../parts/page/PageTabs";
import { Pill } from "../../../../parts/pill/Pill";
import { Time } from "../../../../parts/text/Time";
import { useWords } from "../../../../words";
import { ExecutionDuration, PipelineLink, typeWord } from "./ExecutionList";
import { Lineage } from "../lineage/Lineage";
import { TaskIo } from "../tasks/TaskIo";
import { TaskLog } from "../tasks/TaskLog";
import { TaskMetadata } from "../tasks/TaskMetadata";
import { TaskEvents, TaskPod } from "../tasks/TaskPod";
import { sourceOfRun } from "../tasks/taskSource";

/** One task of one run, by its id alone. */
export function ExecutionDetails() {
  const words = useWords().pipelines.executions;
  const { id = "" }: { id?: string } = useParams({ strict: false });
  const query = useExecution(id);
  const live = useLive(query, query.data);
  const { namespace = "", run_id: run = "" } = query.data ?? {};
  useRefresh(namespace === "" ? undefined : WORKFLOWS, { namespace, labelSelector: `${RUN_ID_LABEL}=${run}` }, KEYS.execution(id));
  if (live.data !== undefined) return <Loaded live={live}>{(execution) => <ExecutionPage execution={execution} />}</Loaded>;
  return (
    <Page title={words.title} parent={{ to: PATHS.executions, label: words.title }}>
      {live.problem?.status === 404 ? (
        <EmptyState icon="play" sentence={words.gone} action={<ButtonLink to={PATHS.executions}>{words.title}</ButtonLink>} />
      ) : (
        <Loaded live={live}>{() => null}</Loaded>
      )}
    </Page>
  );
}

export function ExecutionPage({ execution }: { execution: Execution }) {
  const { pipelines } = useWords();
  const own = pipelines.executions;
  const record = recordOf(execution);
  const namespace = execution.namespace ?? "";
  const hasPod = record.pod !== "";
  const source = useMemo(() => sourceOfRun(execution.run_id ?? "", false), [execution.run_id]);
  return (
    <Page
      title={record.label || record.id}
      isName
      badge={<Pill state={nodePill(record.state)} label={pipelines.nodeStates[record.state]} />}
      sentence={own.sentence(typeWord(record.type, own), execution.run_name ?? "")}
      parent={{ to: PATHS.executions, label: own.title }}
      actions={<ButtonLink to={PATHS.run(execution.run_id ?? "")} icon="pipeline">{own.openRun}</ButtonLink>}
      full
    >
      <Note record={record} />
      <PageTabs
        label={record.label}
        tabs={[
          { id: "overview", label: own.overview, content: () => <Overview execution={execution} record={record} /> },
          { id: "lineage", label: pipelines.artifacts.lineage, content: () => <Lineage focus={{ kind: "execution", id: record.id }} label={record.label} /> },
          ...(hasPod
            ? [
                { id: "logs", label: pipelines.task.logs, content: () => <TaskLog source={source} record={record} namespace={namespace} /> },
                { id: "events", label: pipelines.task.events, content: () => <TaskEvents pod={record.pod} namespace={namespace} /> },
                { id: "pod", label: pipelines.task.pod, content: () => <TaskPod pod={record.pod} namespace={namespace} /> },
              ]
            : []),
        ]}
      />
    </Page>
  );
}

/** Why it failed, or why nothing ran. */
function Note({ record }: { record: TaskRecord }) {
  const words = useWords().pipelines.task;
  if (record.state === "failed" && record.message !== "") return <WhyCard state="failed" sentence={record.message} />;
  if (record.state === "cached") return <WhyCard state="succeeded" sentence={words.cached} />;
  return null;
}

function Overview({ execution, record }: { execution: Execution; record: TaskRecord }) {
  const { pipelines, common } = useWords();
  const own = pipelines.executions;
  return (
    <Columns>
      <Card>
        <TaskIo record={record} namespace={execution.namespace ?? ""} />
      </Card>
      <Stack>
        <Card title={pipelines.run.facts}>
          <Facts
            rows={[
              [own.type, typeWord(record.type, own)],
              [own.run, <Link key="run" to={PATHS.run(execution.run_id ?? "")}>{execution.run_name || execution.run_id}</Link>],
              [pipelines.pipeline, <PipelineLink key="pipeline" execution={execution} />],
              [common.namespace, execution.namespace],
              [common.created, record.created && <Time at={record.created} />],
              [pipelines.started, record.started && <Time at={record.started} />],
              [pipelines.finished, record.ended && <Time at={record.ended} />],
              [pipelines.duration, record.started && <ExecutionDuration execution={execution} />],
            ]}
          />
        </Card>
        <Card title={pipelines.task.metadata}>
          <TaskMetadata record={record} />
        </Card>
      </Stack>
    </Columns>
  );
}
