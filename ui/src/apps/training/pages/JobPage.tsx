import { useLocation, useNavigate } from "@tanstack/react-router";
import { useObject } from "../../../api/hooks";
import type { JobRow, JobView } from "../../../kinds/generated";
import { kindLabel, resourceOf } from "../kinds/jobs";
import { JOB_STATES } from "../kinds/jobStates";
import { CommandHint } from "../../../parts/command/CommandHint";
import { EventList } from "../../../parts/events/EventList";
import { ActionMenu } from "../../../parts/overlay/ActionMenu";
import { Button } from "../../../parts/button/Button";
import { Loaded } from "../../../parts/feedback/Loaded";
import { Page } from "../../../parts/page/Page";
import { PageTabs } from "../../../parts/page/PageTabs";
import { Pill } from "../../../parts/pill/Pill";
import { useWords } from "../../../words";
import { ObjectYaml } from "../../../pages/details/ObjectYaml";
import { JobLogs } from "./JobLogs";
import { JobMetrics } from "./JobMetrics";
import { JobOverview } from "./JobOverview";
import { JobWhy } from "./JobWhy";
import { TensorboardButton } from "./TensorboardButton";
import { useJobActions } from "./useJobActions";

/** The page of one job, given what is known of it. */
export function JobPage({ view }: { view: JobView }) {
  const words = useWords();
  const { row } = view;
  const navigate = useNavigate();
  const hash = useLocation({ select: (location) => location.hash });
  const actions = useJobActions(row, () => void navigate({ to: "/jobs/" }));
  const main = actions.find((action) => action.id === (row.state === "Failed" ? "restart" : row.state === "Suspended" ? "resume" : "suspend"));
  const openLogs = (replica: string) =>
    void navigate({ to: ".", search: (before: Record<string, unknown>) => ({ ...before, tab: "logs", replicas: replica }) });
  const events = view.events.map((event) => ({ ...event, about: `${event.object.kind} ${event.object.name}` }));
  const hasWhy = row.why !== null || view.gang?.explanation != null;
  return (
    <Page
      title={row.name}
      isName
      badge={<Pill state={JOB_STATES[row.state]} label={words.jobs.states[row.state]} />}
      sentence={hasWhy ? kindLabel(row) : `${kindLabel(row)} · ${words.reasons.job(view)}`}
      parent={{ to: "/jobs/", label: words.jobs.title }}
      actions={
        <>
          <TensorboardButton view={view} />
          {main && main.disabledReason === undefined && <Button label={main.label} icon={main.icon} missing={main.missing} onPress={main.onAction} />}
          <CommandHint lines={view.commands.map((command) => command.line)} />
          <ActionMenu actions={actions.filter((action) => action !== main || main.disabledReason !== undefined)} />
        </>
      }
    >
      <JobWhy view={view} onOpenLogs={openLogs} />
      <PageTabs
        label={row.name}
        tabs={[
          { id: "overview", label: words.common.overview, content: () => <JobOverview view={view} onOpenLogs={openLogs} /> },
          { id: "logs", label: words.common.logs, content: () => <JobLogs view={view} anchor={hash} /> },
          { id: "metrics", label: words.common.metrics, content: () => <JobMetrics view={view} /> },
          { id: "events", label: words.common.events, content: () => <EventList events={events} /> },
          { id: "yaml", label: words.common.yaml, content: () => <JobYaml row={row} /> },
        ]}
      />
    </Page>
  );
}

function JobYaml({ row }: { row: JobRow }) {
  const resource = resourceOf(row);
  const live = useObject(resource, row.namespace, row.name);
  return <Loaded live={live}>{(object) => object && resource && <ObjectYaml objects={[{ resource, object }]} />}</Loaded>;
}
