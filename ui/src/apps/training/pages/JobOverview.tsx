import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useCurves, usePodMetrics } from "../api/jobs";
import type { JobView } from "../../../kinds/generated";
import { curveGroups, hasEnded, kindLabel, replicaOf } from "../kinds/jobs";
import { Card, Facts } from "../../../parts/card/Card";
import { ReplicaGrid } from "../../../parts/grid/ReplicaGrid";
import { Columns, Stack } from "../../../parts/page/Page";
import { Plot } from "../../../parts/plot/Plot";
import { StepTimeline } from "../../../parts/timeline/StepTimeline";
import { Time } from "../../../parts/text/Time";
import { useWords } from "../../../words";
import styles from "./Jobs.module.css";

interface JobOverviewProps {
  view: JobView;
  onOpenLogs: (replica: string) => void;
}

export function JobOverview({ view, onOpenLogs }: JobOverviewProps) {
  const { jobs: words, reasons } = useWords();
  const { row } = view;
  const cpu = usePodMetrics("podcpu", row.namespace, "Last15m").data;
  const memory = usePodMetrics("podmem", row.namespace, "Last15m").data;
  const replicas = useMemo(
    () =>
      view.replicas.map((replica) => {
        const cell = replicaOf(replica, row.namespace, cpu ?? [], memory ?? []);
        return { ...cell, word: words.phases[cell.word] ?? cell.word, why: replica.why === null ? undefined : reasons.why(replica.why) };
      }),
    [view.replicas, row.namespace, cpu, memory, words, reasons],
  );
  // A loss where there is one: the server sends losses first.
  const { data } = useCurves(row, !hasEnded(row));
  const first = useMemo(() => curveGroups(data?.series ?? [])[0], [data]);
  const hasCurves = first !== undefined;
  const grid = (
    <Card title={words.replicas}>
      <ReplicaGrid replicas={replicas} onOpen={onOpenLogs} />
    </Card>
  );
  return (
    <Stack>
      <Card>
        <StepTimeline steps={view.stages} />
      </Card>
      <Columns>
        <Stack>
        {!hasCurves && grid}
        <Card title={words.loss} aside={<Link to="." search={((before: Record<string, unknown>) => ({ ...before, tab: "metrics" }))}>{words.moreCurves}</Link>}>
          {first === undefined ? (
            <p className={styles.noCurves}>{words.noCurves}</p>
          ) : (
            <Plot title={first.name} series={first.series} x={{ kind: "number", label: first.x }} height={300} />
          )}
        </Card>
        {hasCurves && grid}
      </Stack>
      <Stack>
        <Card title={words.facts}>
          <JobFacts view={view} />
        </Card>
        {view.related.length > 0 && (
          <Card title={words.related}>
            <Related view={view} />
          </Card>
        )}
      </Stack>
      </Columns>
    </Stack>
  );
}

function JobFacts({ view }: { view: JobView }) {
  const { jobs, common } = useWords();
  const { row, gang } = view;
  const together = gang && (gang.minMember >= row.total ? jobs.gangAll(gang.minMember) : jobs.gangSome(gang.minMember, row.total));
  return (
    <Facts
      rows={[
        [common.kind, `${kindLabel(row)} (${row.apiVersion})`],
        [jobs.framework, row.framework],
        [common.namespace, row.namespace],
        [jobs.replicas, row.roles.map((role) => `${role.role} ${role.ready}/${role.total}`).join(", ")],
        [jobs.gang, gang && `${jobs.phases[gang.phase] ?? gang.phase} · ${together ?? ""}`],
        [jobs.queue, row.queue === "" ? "" : <Link to={`/queues/${row.queue}`}>{row.queue}</Link>],
        [jobs.priority, row.priorityClass],
        [jobs.restartsColumn, row.restarts === 0 ? "" : row.restarts],
        [common.created, <Time key="created" at={row.created} />],
        [jobs.started, row.started && <Time at={row.started} />],
        [jobs.ended, row.ended && <Time at={row.ended} />],
      ]}
    />
  );
}

function Related({ view }: { view: JobView }) {
  const words = useWords().jobs;
  return (
    <ul className={styles.related}>
      {view.related.map((related) => (
        <li key={`${related.object.kind}/${related.object.name}`}>
          <span className={styles.quiet}>{words.roles[related.role]}</span>
          <Link to={related.link}>{related.object.name}</Link>
          <span className={styles.quiet}>{words.phases[related.state] ?? related.state}</span>
        </li>
      ))}
    </ul>
  );
}
