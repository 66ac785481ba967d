import { Link } from "@tanstack/react-router";
import { useMemo, type CSSProperties } from "react";
import type { JobRow } from "../../../../kinds/generated";
import { kindLabel, type CurveGroup } from "../../kinds/jobs";
import { comparedCurves, jobId, jobLabels, type ComparedJob } from "../../kinds/jobsCompare";
import { JOB_STATES, jobPath } from "../../kinds/jobStates";
import { Button } from "../../../../parts/button/Button";
import { Card } from "../../../../parts/card/Card";
import { Stack } from "../../../../parts/page/Page";
import { Pill } from "../../../../parts/pill/Pill";
import { Plot } from "../../../../parts/plot/Plot";
import { Plots } from "../../../../parts/plot/PlotControls";
import { summaryOf } from "../../../../parts/plot/PlotTable";
import { colourToken, compactNumber } from "../../../../parts/plot/series";
import { DataTable } from "../../../../parts/table/DataTable";
import type { Column } from "../../../../parts/table/columns";
import { Name } from "../../../../parts/text/Name";
import { Duration } from "../../../../parts/text/Time";
import { useWords, type Words } from "../../../../words";
import styles from "../Jobs.module.css";

interface Compared extends ComparedJob {
  /** Undefined where the job is not listed any more. */
  row: JobRow | undefined;
}

interface JobComparisonProps {
  jobs: Compared[];
  onLeaveOut: (id: string) => void;
}

/** The curves of jobs over each other, what most of them report first; then the jobs, each with its colour. */
export function JobComparison({ jobs, onLeaveOut }: JobComparisonProps) {
  const { jobs: words } = useWords();
  const [first, ...others] = useMemo(() => comparedCurves(jobs), [jobs]);
  return (
    <Stack>
      <Card title={words.curves}>
        {first === undefined ? (
          <p className={styles.noCurves}>{words.noCurves}</p>
        ) : (
          <Plots forCurves inUrl>
            <Curve group={first} height={340} />
            <div className={styles.plots}>
              {others.map((group) => (
                <Curve key={`${group.name} ${group.x}`} group={group} />
              ))}
            </div>
          </Plots>
        )}
      </Card>
      <JobsOfCurves jobs={jobs} first={first} onLeaveOut={onLeaveOut} />
    </Stack>
  );
}

function Curve({ group, height }: { group: CurveGroup; height?: number }) {
  return <Plot title={group.name} series={group.series} x={{ kind: "number", label: group.x }} {...(height === undefined ? {} : { height })} />;
}

interface ComparedRow {
  job: Compared;
  label: string;
  colour: number;
  /** Of the first plot. */
  last: number | null;
  min: number | null;
}

function JobsOfCurves({ jobs, first, onLeaveOut }: JobComparisonProps & { first: CurveGroup | undefined }) {
  const words = useWords();
  const rows = useMemo(() => {
    const labels = jobLabels(jobs);
    return jobs.map((job, colour): ComparedRow => {
      const line = first?.series.find((series) => series.colour === colour);
      const { last, min } = line === undefined ? { last: null, min: null } : summaryOf(line);
      return { job, label: labels[colour] ?? job.name, colour, last, min };
    });
  }, [jobs, first]);
  const columns = useMemo(() => columnsOf(words, first?.name), [words, first?.name]);
  return (
    <Card title={words.jobs.title} flush>
      <DataTable
        inside="jobs"
        label={words.jobs.title}
        rows={rows}
        columns={columns}
        idOf={({ job }) => jobId(job)}
        actions={({ job, label }) => <Button small iconOnly look="quiet" icon="close" label={words.jobs.compare.leaveOut(label)} onPress={() => onLeaveOut(jobId(job))} />}
      />
    </Card>
  );
}

function columnsOf({ jobs, common, viewers }: Words, metric: string | undefined): Column<ComparedRow>[] {
  const value = (id: "last" | "min"): Column<ComparedRow> => ({
    id,
    header: `${metric ?? ""} · ${viewers.plot[id]}`,
    value: (row) => row[id] ?? undefined,
    cell: (row) => compactNumber(row[id]),
    align: "right",
    ...(id === "min" ? { hide: "medium" as const } : {}),
  });
  return [
    { id: "name", header: common.name, value: (row) => row.label, cell: (row) => <JobName row={row} /> },
    { id: "state", header: common.state, value: ({ job }) => job.row?.state, cell: ({ job }) => <JobState row={job.row} /> },
    { id: "kind", header: common.kind, value: ({ job }) => job.kind, cell: ({ job }) => (job.row === undefined ? job.kind : kindLabel(job.row)), hide: "medium" },
    ...(metric === undefined ? [] : [value("last"), value("min")]),
    { id: "duration", header: jobs.duration, value: ({ job }) => job.row?.durationSeconds ?? undefined, cell: ({ job }) => <Duration from={job.row?.started} to={job.row?.ended} />, align: "right", hide: "medium" },
  ];
}

function JobName({ row: { job, label, colour } }: { row: ComparedRow }) {
  return (
    <span className={styles.coloured}>
      <span className={styles.colour} style={{ "--colour": `var(${colourToken(colour)})` } as CSSProperties} />
      <Link to={jobPath(job)}>
        <Name text={label} />
      </Link>
    </span>
  );
}

function JobState({ row }: { row: JobRow | undefined }) {
  const words = useWords().jobs;
  return row === undefined ? <Pill state="unknown" label={words.compare.notListed} /> : <Pill state={JOB_STATES[row.state]} label={words.states[row.state]} />;
}
