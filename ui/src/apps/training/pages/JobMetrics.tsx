import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { useCurves, usePodMetrics, type Interval } from "../api/jobs";
import type { JobView } from "../../../kinds/generated";
import { curveGroups, hasEnded, usageSeries } from "../kinds/jobs";
import { messageOf } from "../../../api/errors";
import { Card } from "../../../parts/card/Card";
import { Failure } from "../../../parts/feedback/Loaded";
import { Skeleton } from "../../../parts/feedback/Skeleton";
import { Choice } from "../../../parts/field/Choice";
import { Stack } from "../../../parts/page/Page";
import { Plot } from "../../../parts/plot/Plot";
import { Plots, PlotsInTime } from "../../../parts/plot/PlotControls";
import { bytesText, coresText } from "../../../parts/plot/series";
import { useWords } from "../../../words";
import styles from "./Jobs.module.css";

const USUAL: Interval = "Last15m";
const INTERVALS: [Interval, number][] = [
  ["Last5m", 5],
  ["Last15m", 15],
  ["Last30m", 30],
  ["Last60m", 60],
  ["Last180m", 180],
];

export function JobMetrics({ view }: { view: JobView }) {
  return (
    <PlotsInTime>
      <Stack>
        <Curves view={view} />
        <Usage view={view} />
      </Stack>
    </PlotsInTime>
  );
}

function Curves({ view }: { view: JobView }) {
  const words = useWords().jobs;
  const { data, error, isPending, refetch } = useCurves(view.row, !hasEnded(view.row));
  const groups = useMemo(() => curveGroups(data?.series ?? []), [data]);
  return (
    <Card title={words.curves}>
      {error && <Failure message={messageOf(error)} onRetry={() => void refetch()} />}
      {isPending && <Skeleton />}
      {data && groups.length === 0 && <p className={styles.noCurves}>{words.noCurves}</p>}
      {groups.length > 0 && (
        <Plots forCurves inUrl>
          <div className={styles.plots}>
            {groups.map((group) => (
              <Plot key={group.name} title={group.name} series={group.series} x={{ kind: "number", label: group.x }} />
            ))}
          </div>
        </Plots>
      )}
      {data?.notes.map((note) => (
        <p key={note} className={styles.quiet} lang="en">
          {note}
        </p>
      ))}
    </Card>
  );
}

/** Over how long use is drawn; in the URL, so that a link shows the same. */
function useInterval(): [Interval, (interval: string) => void] {
  const search: { usage?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const chosen = INTERVALS.find(([interval]) => interval === search.usage)?.[0] ?? USUAL;
  const choose = (interval: string) =>
    void navigate({ to: ".", search: (before: Record<string, unknown>) => ({ ...before, usage: interval === USUAL ? undefined : interval }), replace: true });
  return [chosen, choose];
}

function Usage({ view }: { view: JobView }) {
  const words = useWords().jobs;
  const { row } = view;
  const [interval, setRange] = useInterval();
  const cpu = usePodMetrics("podcpu", row.namespace, interval).data;
  const memory = usePodMetrics("podmem", row.namespace, interval).data;
  const cpuSeries = useMemo(() => usageSeries(cpu ?? [], view.replicas, row.namespace), [cpu, view.replicas, row.namespace]);
  const memorySeries = useMemo(() => usageSeries(memory ?? [], view.replicas, row.namespace), [memory, view.replicas, row.namespace]);
  const choice = (
    <Choice
      label={words.interval}
      hideLabel
      value={interval}
      onChange={setRange}
      options={INTERVALS.map(([value, minutes]) => ({ value, label: words.lastMinutes(minutes) }))}
    />
  );
  return (
    <Card title={words.usage} aside={choice}>
      <Plots>
        <div className={styles.plots}>
          <Plot title={words.cpu} series={cpuSeries} x={{ kind: "time", label: "" }} format={coresText} height={200} />
          <Plot title={words.memory} series={memorySeries} x={{ kind: "time", label: "" }} format={bytesText} height={200} />
        </div>
      </Plots>
    </Card>
  );
}
