import { useNavigate, useParams } from "@tanstack/react-router";
import { useObject, type Live } from "../../../../api/hooks";
import { useWorkflowRows } from "../../api/workflows";
import { cronPill, cronState, schedulesOf } from "../../kinds/workflows/cronWorkflows";
import { KINDS, type CronWorkflow } from "../../../../kinds/generated";
import { dig, text } from "../../../../kinds/json";
import { CRON_LABEL, WORKFLOW_PATHS, type WorkflowRow } from "../../kinds/workflows/workflows";
import { Button } from "../../../../parts/button/Button";
import { ButtonLink } from "../../../../parts/button/ButtonLink";
import { CommandHint } from "../../../../parts/command/CommandHint";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Loaded } from "../../../../parts/feedback/Loaded";
import { ActionMenu } from "../../../../parts/overlay/ActionMenu";
import { Page } from "../../../../parts/page/Page";
import { PageTabs } from "../../../../parts/page/PageTabs";
import { Pill } from "../../../../parts/pill/Pill";
import { useWords } from "../../../../words";
import { ObjectEvents } from "../../../../pages/details/ObjectEvents";
import { ObjectYaml } from "../../../../pages/details/ObjectYaml";
import { CronFacts } from "./CronFacts";
import { useCronActions } from "./useCronActions";
import { WorkflowTable } from "./WorkflowTable";

const CRONS = KINDS.CronWorkflow;

/** A CronWorkflow: when it starts what, and the Workflows that it has started. */
export function CronWorkflowDetails() {
  const words = useWords().workflows.cron;
  const { namespace = "", name = "" }: { namespace?: string; name?: string } = useParams({ strict: false });
  const cron = useObject<CronWorkflow>(CRONS, namespace, name);
  const workflows = useWorkflowRows(namespace, `${CRON_LABEL}=${name}`);
  const { data } = cron;
  if (data) return <Loaded live={{ ...cron, data }}>{(known) => <CronWorkflowPage cron={known} workflows={workflows} />}</Loaded>;
  return (
    <Page title={name} parent={{ to: WORKFLOW_PATHS.crons, label: words.title }}>
      <Loaded live={cron}>{() => <EmptyState icon="clock" sentence={words.gone} action={<ButtonLink to={WORKFLOW_PATHS.crons}>{words.title}</ButtonLink>} />}</Loaded>
    </Page>
  );
}

export function CronWorkflowPage({ cron, workflows }: { cron: CronWorkflow; workflows: Live<WorkflowRow[]> }) {
  const words = useWords();
  const own = words.workflows.cron;
  const navigate = useNavigate();
  const { name, namespace = "" } = cron.metadata;
  const [toggle, ...others] = useCronActions(cron, () => void navigate({ to: WORKFLOW_PATHS.crons }));
  const state = cronState(cron);
  const sentence = { active: own.sentence(schedulesOf(cron).join(", "), text(dig(cron.spec, "timezone"))), suspended: own.suspendedText, stopped: own.stoppedText }[state];
  return (
    <Page
      title={name}
      isName
      badge={<Pill state={cronPill(state)} label={own.states[state]} />}
      sentence={sentence}
      parent={{ to: WORKFLOW_PATHS.crons, label: own.title }}
      actions={
        <>
          {toggle && <Button label={toggle.label} icon={toggle.icon} missing={toggle.missing} disabledReason={toggle.disabledReason} onPress={toggle.onAction} />}
          <CommandHint lines={[`kubectl get cronworkflow ${name} -n ${namespace} -o yaml`, `kubectl patch cronworkflow ${name} -n ${namespace} --type=merge -p '{"spec": {"suspend": ${state === "suspended" ? "false" : "true"}}}'`]} />
          <ActionMenu actions={others} />
        </>
      }
    >
      <PageTabs
        label={name}
        tabs={[
          { id: "workflows", label: words.workflows.title, content: () => <Started live={workflows} /> },
          { id: "details", label: words.workflows.details, content: () => <CronFacts cron={cron} /> },
          { id: "events", label: words.common.events, content: () => <ObjectEvents resource={CRONS} object={{ namespace, name }} /> },
          { id: "yaml", label: words.common.yaml, content: () => <ObjectYaml objects={[{ resource: CRONS, object: cron }]} /> },
        ]}
      />
    </Page>
  );
}

function Started({ live }: { live: Live<WorkflowRow[]> }) {
  const words = useWords().workflows.cron;
  return <Loaded live={live}>{(rows) => (rows.length === 0 ? <EmptyState icon="clock" sentence={words.noWorkflows} /> : <WorkflowTable rows={rows} hideSource inside="workflows" />)}</Loaded>;
}
