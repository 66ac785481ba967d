import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { KEYS, useLive, useRecurringRun, useRefresh, useRunsOfExperiment, useVersionsOf } from "../../api/pipelines";
import type { Live } from "../../../../api/hooks";
import { PATHS, SCHEDULED_WORKFLOWS, WORKFLOWS, nameOf, timeOf, type Experiment, type RecurringRun, type Run } from "../../kinds/pipelines";
import { Button } from "../../../../parts/button/Button";
import { ButtonLink } from "../../../../parts/button/ButtonLink";
import { Card, Facts } from "../../../../parts/card/Card";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Loaded } from "../../../../parts/feedback/Loaded";
import { WhyCard } from "../../../../parts/feedback/WhyCard";
import { ActionMenu } from "../../../../parts/overlay/ActionMenu";
import { Columns, Page, Stack } from "../../../../parts/page/Page";
import { Time } from "../../../../parts/text/Time";
import { useWords } from "../../../../words";
import { RunGridCard } from "../runs/PastRuns";
import styles from "../Pipelines.module.css";
import { EnabledPill, TriggerText, useRecurringActions } from "./RecurringRunList";
import { Parameters } from "../runs/RunFacts";
import { useExperimentsById } from "../runs/RunList";
import { RunTable } from "../runs/RunTable";

/** A schedule: when it starts what, and the runs that it has started. */
export function RecurringRunDetails() {
  const words = useWords().pipelines;
  const { id = "" }: { id?: string } = useParams({ strict: false });
  const query = useRecurringRun(id);
  const live = useLive(query, query.data);
  const namespace = query.data?.namespace ?? "";
  useRefresh(namespace === "" ? undefined : SCHEDULED_WORKFLOWS, { namespace }, KEYS.recurring);
  useRefresh(namespace === "" ? undefined : WORKFLOWS, { namespace }, KEYS.runs);
  const all = useRunsOfExperiment(query.data?.experiment_id ?? "");
  const runs = useMemo(() => ({ ...all, data: all.data?.filter((run) => run.recurring_run_id === id) }), [all, id]);
  const experiments = useExperimentsById();
  if (live.data !== undefined) return <Loaded live={live}>{(row) => <RecurringRunPage row={row} runs={runs} experiments={experiments} />}</Loaded>;
  return (
    <Page title={words.runs.recurring} parent={{ to: PATHS.recurringRuns, label: words.recurring.title }}>
      {live.problem?.status === 404 ? (
        <EmptyState icon="clock" sentence={words.recurring.gone} action={<ButtonLink to={PATHS.recurringRuns}>{words.recurring.title}</ButtonLink>} />
      ) : (
        <Loaded live={live}>{() => null}</Loaded>
      )}
    </Page>
  );
}

interface RecurringRunPageProps {
  row: RecurringRun;
  runs: Live<Run[]>;
  experiments: ReadonlyMap<string, Experiment>;
}

export function RecurringRunPage({ row, runs, experiments }: RecurringRunPageProps) {
  const words = useWords().pipelines;
  const navigate = useNavigate();
  const actions = useRecurringActions(row, () => void navigate({ to: PATHS.recurringRuns }));
  const [toggle, ...others] = actions;
  return (
    <Page
      title={nameOf(row)}
      isName
      badge={<EnabledPill row={row} />}
      sentence={row.description ?? ""}
      parent={{ to: PATHS.recurringRuns, label: words.recurring.title }}
      actions={
        <>
          {toggle && <Button label={toggle.label} icon={toggle.icon} missing={toggle.missing} onPress={toggle.onAction} />}
          <ActionMenu actions={others} />
        </>
      }
    >
      {row.error?.message !== undefined && <WhyCard state="failed" sentence={row.error.message} />}
      <Columns>
        <Stack>
          <Loaded live={runs}>
            {(rows) =>
              rows.length === 0 ? (
                <EmptyState icon="clock" sentence={words.recurring.noRuns} />
              ) : (
                <Stack>
                  <RunGridCard runs={rows} />
                  <section className={styles.titled} aria-label={words.recurring.runsOf}>
                    <h2>{words.recurring.runsOf}</h2>
                    <RunTable rows={rows} experiments={experiments} hideExperiment inside="runs" />
                  </section>
                </Stack>
              )
            }
          </Loaded>
        </Stack>
        <Stack>
          <Card title={words.run.facts}>
            <RecurringFacts row={row} experiments={experiments} />
          </Card>
          <Card title={words.run.parameters}>
            <Parameters values={row.runtime_config?.parameters ?? {}} />
          </Card>
        </Stack>
      </Columns>
    </Page>
  );
}

function RecurringFacts({ row, experiments }: { row: RecurringRun; experiments: ReadonlyMap<string, Experiment> }) {
  const { pipelines, common } = useWords();
  const schedule = row.trigger?.cron_schedule ?? row.trigger?.periodic_schedule;
  const experiment = experiments.get(row.experiment_id ?? "");
  const reference = row.pipeline_version_reference;
  const versionId = reference?.pipeline_version_id ?? "";
  const versions = useVersionsOf([row], row.namespace === undefined ? undefined : [row.namespace]);
  const version = versions.byId.get(versionId);
  const isGone = versions.gone.has(versionId);
  const versionName = versionId === "" ? pipelines.recurring.newest : version !== undefined ? nameOf(version) : isGone ? pipelines.runs.deletedVersion : "…";
  return (
    <Facts
      rows={[
        [pipelines.recurring.trigger, <TriggerText key="trigger" trigger={row.trigger} />],
        [pipelines.trigger.start, timeOf(schedule?.start_time) && <Time at={schedule?.start_time} />],
        [pipelines.trigger.end, timeOf(schedule?.end_time) && <Time at={schedule?.end_time} />],
        [pipelines.trigger.maxConcurrency, row.max_concurrency],
        [pipelines.recurring.catchUp, row.no_catchup ? pipelines.recurring.catchUpNo : pipelines.recurring.catchUpYes],
        [pipelines.pipeline, isGone ? versionName : reference?.pipeline_id && <Link to={PATHS.pipeline(reference.pipeline_id)} search={{ version: reference.pipeline_version_id }}>{versionName}</Link>],
        [pipelines.experiment, experiment && <Link to={PATHS.experiment(experiment.experiment_id)}>{nameOf(experiment)}</Link>],
        [common.namespace, row.namespace],
        [common.created, <Time key="created" at={row.created_at} />],
      ]}
    />
  );
}
