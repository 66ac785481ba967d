import { Link } from "@tanstack/react-router";
import { useExperiment, useRecurringRun } from "../../api/pipelines";
import { PATHS, nameOf, stateOf, timeOf, type PipelineVersion, type Run } from "../../kinds/pipelines";
import { parameterText } from "../../kinds/pipelinesForm";
import { Card, Facts } from "../../../../parts/card/Card";
import { Columns, Stack } from "../../../../parts/page/Page";
import { Time } from "../../../../parts/text/Time";
import { useWords } from "../../../../words";
import styles from "../Pipelines.module.css";

/** How the run was configured, and what became of it when. */
export function RunFacts({ run, namespace, version }: { run: Run; namespace: string; version: PipelineVersion | undefined }) {
  const { pipelines, common } = useWords();
  const words = pipelines.run;
  const experiment = useExperiment(run.experiment_id ?? "").data;
  const recurring = useRecurringRun(run.recurring_run_id ?? "").data;
  return (
    <Columns>
      <Card title={words.parameters}>
        <Parameters values={run.runtime_config?.parameters ?? {}} />
      </Card>
      <Stack>
        <Card title={words.facts}>
          <Facts
            rows={[
              [common.namespace, namespace],
              [pipelines.experiment, experiment && <Link to={PATHS.experiment(experiment.experiment_id)}>{nameOf(experiment)}</Link>],
              [pipelines.version, version && <Link to={PATHS.pipeline(version.pipeline_id)} search={{ version: version.pipeline_version_id }}>{nameOf(version)}</Link>],
              [pipelines.runs.recurring, run.recurring_run_id && <Link to={PATHS.recurringRun(run.recurring_run_id)}>{recurring === undefined ? run.recurring_run_id : nameOf(recurring)}</Link>],
              [pipelines.description, run.description],
              [words.account, run.service_account],
              [words.root, run.runtime_config?.pipeline_root],
              [common.created, <Time key="created" at={timeOf(run.created_at)} />],
              [pipelines.finished, timeOf(run.finished_at) && <Time at={run.finished_at} />],
              [words.id, <code key="id">{run.run_id}</code>],
            ]}
          />
        </Card>
        {(run.state_history?.length ?? 0) > 0 && (
          <Card title={words.history}>
            <Facts rows={(run.state_history ?? []).map((change): [string, React.ReactNode] => [pipelines.runStates[stateOf(change)], <Time key={change.update_time} at={change.update_time} />])} />
          </Card>
        )}
      </Stack>
    </Columns>
  );
}

export function Parameters({ values, none }: { values: Record<string, unknown>; none?: string }) {
  const words = useWords().pipelines.run;
  const entries = Object.entries(values);
  if (entries.length === 0) return <p className={styles.quiet}>{none ?? words.noParameters}</p>;
  return (
    <dl className={styles.ioList}>
      {entries.map(([name, value]) => (
        <div key={name} style={{ display: "contents" }}>
          <dt>{name}</dt>
          <dd>
            <code className={styles.value}>{parameterText(value)}</code>
          </dd>
        </div>
      ))}
    </dl>
  );
}
