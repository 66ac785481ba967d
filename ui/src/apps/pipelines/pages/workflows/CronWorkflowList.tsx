import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { objectPath } from "../../../../api/discovery";
import { useObjects, type Live } from "../../../../api/hooks";
import { useNamespace } from "../../../../api/namespace";
import { useMissingToCreate } from "../../../../api/rights";
import { countsOf, cronPill, cronState, lastScheduled, schedulesOf } from "../../kinds/workflows/cronWorkflows";
import { KINDS, type CronWorkflow } from "../../../../kinds/generated";
import { WORKFLOW_PATHS } from "../../kinds/workflows/workflows";
import { ButtonLink } from "../../../../parts/button/ButtonLink";
import { CommandHint } from "../../../../parts/command/CommandHint";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Loaded } from "../../../../parts/feedback/Loaded";
import { ActionMenu } from "../../../../parts/overlay/ActionMenu";
import { Page } from "../../../../parts/page/Page";
import { Pill } from "../../../../parts/pill/Pill";
import { DataTable } from "../../../../parts/table/DataTable";
import type { Column } from "../../../../parts/table/columns";
import { Name } from "../../../../parts/text/Name";
import { Time } from "../../../../parts/text/Time";
import { useWords, type Words } from "../../../../words";
import { Sections } from "../Sections";
import { KindSwitch } from "./KindSwitch";
import { useCronActions } from "./useCronActions";

/** Schedules that create Workflows. */
export function CronWorkflowList() {
  const { chosen, forLists } = useNamespace();
  return <CronWorkflowListView live={useObjects<CronWorkflow>(chosen === "" ? undefined : KINDS.CronWorkflow, { namespace: forLists })} namespace={forLists} />;
}

export function CronWorkflowListView({ live, namespace }: { live: Live<CronWorkflow[]>; namespace: string }) {
  const words = useWords();
  const own = words.workflows.cron;
  const columns = useMemo(() => columnsOf(words, namespace === ""), [words, namespace]);
  const flag = namespace === "" ? " -A" : ` -n ${namespace}`;
  return (
    <Page
      title={own.title}
      full
      actions={
        <>
          <KindSwitch current="crons" />
          <CommandHint lines={[`kubectl get cronworkflows${flag}`]} />
          <NewButton />
        </>
      }
    >
      <Sections current="workflows" />
      <Loaded live={live}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="clock" sentence={own.empty} action={<NewButton />} command={`kubectl create -f cron-workflow.yaml${namespace === "" ? "" : flag}`} />
          ) : (
            <DataTable
              label={own.title}
              rows={rows}
              columns={columns}
              idOf={(row) => row.metadata.uid}
              facet="state"
              initialSort={{ column: "name", descending: false }}
              hasMenu
              actions={(row) => <RowActions cron={row} />}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

function NewButton() {
  return (
    <ButtonLink to={`${objectPath(KINDS.CronWorkflow)}/new`} look="primary" icon="plus" missing={useMissingToCreate(KINDS.CronWorkflow)}>
      {useWords().workflows.cron.new}
    </ButtonLink>
  );
}

function RowActions({ cron }: { cron: CronWorkflow }) {
  return <ActionMenu small actions={useCronActions(cron)} label={`${useWords().common.more}: ${cron.metadata.name}`} />;
}

function columnsOf({ workflows, common }: Words, hasNamespace: boolean): Column<CronWorkflow>[] {
  const own = workflows.cron;
  const state = (row: CronWorkflow) => own.states[cronState(row)];
  const namespace: Column<CronWorkflow> = { id: "namespace", header: common.namespace, value: (row) => row.metadata.namespace, hide: "medium" };
  const counts = (row: CronWorkflow) => {
    const { active, succeeded, failed } = countsOf(row);
    return own.counts(active, succeeded, failed);
  };
  return [
    { id: "state", header: common.state, value: state, cell: (row) => <Pill state={cronPill(cronState(row))} label={state(row)} /> },
    { id: "name", header: common.name, value: (row) => row.metadata.name, cell: (row) => <CronLink cron={row} /> },
    ...(hasNamespace ? [namespace] : []),
    { id: "schedule", header: own.schedule, value: (row) => schedulesOf(row).join(", "), cell: (row) => <code>{schedulesOf(row).join(", ")}</code>, hide: "medium" },
    { id: "workflows", header: own.results, value: (row) => countsOf(row).failed, cell: counts, hide: "wide" },
    { id: "last", header: own.last, value: (row) => -Date.parse(lastScheduled(row) ?? "") || undefined, cell: (row) => (lastScheduled(row) === undefined ? own.never : <Time at={lastScheduled(row)} />), align: "right" },
  ];
}

function CronLink({ cron }: { cron: CronWorkflow }) {
  const { name, namespace = "" } = cron.metadata;
  return (
    <Link to={WORKFLOW_PATHS.cron({ namespace, name })}>
      <Name text={name} />
    </Link>
  );
}
