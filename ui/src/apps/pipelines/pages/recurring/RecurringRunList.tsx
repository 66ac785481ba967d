import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { KEYS, deleteRecurringRun, setRecurringRun, useNamespaces, useRecurringRuns, useRefresh } from "../../api/pipelines";
import type { Live } from "../../../../api/hooks";
import { rightTo, useMissingToCreate, useRights } from "../../../../api/rights";
import { PATHS, RIGHTS, SCHEDULED_WORKFLOWS, nameOf, type Experiment, type RecurringRun, type Trigger } from "../../kinds/pipelines";
import { ButtonLink } from "../../../../parts/button/ButtonLink";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Loaded } from "../../../../parts/feedback/Loaded";
import { ActionMenu, type Action } from "../../../../parts/overlay/ActionMenu";
import { useAction, useUndoableDelete } from "../../../../parts/overlay/useAction";
import { Page } from "../../../../parts/page/Page";
import { Pill } from "../../../../parts/pill/Pill";
import { DataTable } from "../../../../parts/table/DataTable";
import type { Column } from "../../../../parts/table/columns";
import { Name } from "../../../../parts/text/Name";
import { Time } from "../../../../parts/text/Time";
import { duration } from "../../../../parts/text/times";
import { useSpeech, useWords, type Words } from "../../../../words";
import { useExperimentsById } from "../runs/RunList";
import { Sections } from "../Sections";

/** Schedules that start runs. */
export function RecurringRunList() {
  const namespaces = useNamespaces();
  useRefresh(namespaces.length === 0 ? undefined : SCHEDULED_WORKFLOWS, { namespace: namespaces.length === 1 ? (namespaces[0] ?? "") : "" }, KEYS.recurring);
  return <RecurringRunListView live={useRecurringRuns()} experiments={useExperimentsById()} />;
}

export function RecurringRunListView({ live, experiments }: { live: Live<RecurringRun[]>; experiments: ReadonlyMap<string, Experiment> }) {
  const words = useWords();
  const own = words.pipelines.recurring;
  const columns = useMemo(() => columnsOf(words, experiments), [words, experiments]);
  return (
    <Page title={own.title} full actions={<NewButton />}>
      <Sections current="recurring" />
      <Loaded live={live}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="clock" sentence={own.empty} action={<NewButton />} command="kfp recurring-run create --job-name nightly --experiment-name Default --cron-expression '0 0 9 * * *' --pipeline-id ID" />
          ) : (
            <DataTable
              label={own.title}
              rows={rows}
              columns={columns}
              idOf={(row) => row.recurring_run_id}
              facet="state"
              initialSort={{ column: "created", descending: false }}
              hasMenu
              actions={(row) => <RowActions row={row} />}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

function NewButton() {
  return (
    <ButtonLink to={PATHS.newRun} search={{ recurring: "yes" }} look="primary" icon="plus" missing={useMissingToCreate(RIGHTS.recurring)}>
      {useWords().pipelines.recurring.new}
    </ButtonLink>
  );
}

export const isEnabled = (row: RecurringRun): boolean => row.status === "ENABLED" || (row.status === undefined && row.mode === "ENABLE");

export function EnabledPill({ row }: { row: RecurringRun }) {
  const words = useWords().pipelines.recurring;
  return isEnabled(row) ? <Pill state="running" label={words.enabled} /> : <Pill state="stopped" label={words.disabled} />;
}

export function TriggerText({ trigger }: { trigger: Trigger | undefined }) {
  const { words, language } = useSpeech();
  if (trigger?.cron_schedule !== undefined) return <code>{trigger.cron_schedule.cron}</code>;
  const seconds = Number(trigger?.periodic_schedule?.interval_second ?? 0);
  return seconds > 0 ? <span>{words.pipelines.trigger.everyText(duration(seconds, language))}</span> : <span>–</span>;
}

function columnsOf({ pipelines, common }: Words, experiments: ReadonlyMap<string, Experiment>): Column<RecurringRun>[] {
  return [
    { id: "state", header: common.state, value: (row) => (isEnabled(row) ? pipelines.recurring.enabled : pipelines.recurring.disabled), cell: (row) => <EnabledPill row={row} /> },
    { id: "name", header: common.name, value: nameOf, cell: (row) => <RecurringLink row={row} /> },
    { id: "trigger", header: pipelines.recurring.trigger, value: (row) => row.trigger?.cron_schedule?.cron ?? Number(row.trigger?.periodic_schedule?.interval_second ?? 0), cell: (row) => <TriggerText trigger={row.trigger} /> },
    { id: "experiment", header: pipelines.experiment, value: (row) => experiments.get(row.experiment_id ?? "")?.display_name, hide: "medium" },
    { id: "created", header: common.age, value: (row) => -Date.parse(row.created_at ?? ""), cell: (row) => <Time at={row.created_at} bare />, align: "right", hide: "medium" },
  ];
}

function RecurringLink({ row }: { row: RecurringRun }) {
  return (
    <Link to={PATHS.recurringRun(row.recurring_run_id)}>
      <Name text={nameOf(row)} />
    </Link>
  );
}

function RowActions({ row }: { row: RecurringRun }) {
  return <ActionMenu small actions={useRecurringActions(row)} label={`${useWords().common.more}: ${nameOf(row)}`} />;
}

export function useRecurringActions(row: RecurringRun, onDelete?: () => void): Action[] {
  const { pipelines, common } = useWords();
  const own = pipelines.recurring;
  const { run } = useAction();
  const remove = useUndoableDelete();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const namespace = row.namespace ?? "";
  const missing = useRights(namespace);
  const name = nameOf(row);
  const again = () => queries.invalidateQueries({ queryKey: KEYS.recurring });
  const verb = isEnabled(row) ? "disable" : "enable";
  return [
    {
      id: verb,
      label: own[verb],
      icon: verb === "enable" ? "play" : "pause",
      missing: missing(rightTo(verb, RIGHTS.recurring, namespace)),
      onAction: () => void run(() => setRecurringRun(row.recurring_run_id, verb).then(again), verb === "enable" ? own.wasEnabled(name) : own.wasDisabled(name)),
    },
    {
      id: "clone",
      label: common.clone,
      icon: "clone",
      missing: missing(rightTo("create", RIGHTS.recurring, namespace)),
      onAction: () => void navigate({ to: PATHS.newRun, search: { recurring: row.recurring_run_id } }),
    },
    {
      id: "delete",
      label: common.delete,
      icon: "trash",
      danger: true,
      missing: missing(rightTo("delete", RIGHTS.recurring, namespace)),
      onAction: () => {
        remove({ name, id: row.recurring_run_id, remove: () => deleteRecurringRun(row.recurring_run_id).then(again) });
        onDelete?.();
      },
    },
  ];
}
