/** Learning curves of several jobs in the same plots. Pure. */
import type { JobKey } from "../api/jobs";
import type { PlotSeries } from "../../../parts/plot/series";
import type { Series } from "../../../kinds/generated";
import type { CurveGroup } from "./jobs";

/** As many as the palette has colours. */
export const MAX_COMPARED_JOBS = 8;

export interface ComparedJob extends JobKey {
  series: Series[];
}

export const jobId = ({ kind, namespace, name }: JobKey): string => `${kind}/${namespace}/${name}`;

/** `?jobs=PyTorchJob/ml/bert,TFJob/ml/mnist`: each job once, and at most as many as there are colours. */
export function comparedJobs(text: string | undefined): JobKey[] {
  const ids = [...new Set((text ?? "").split(","))];
  return ids
    .map((id) => id.split("/"))
    .filter((parts) => parts.length === 3 && parts.every(Boolean))
    .slice(0, MAX_COMPARED_JOBS)
    .map(([kind = "", namespace = "", name = ""]) => ({ kind, namespace, name }));
}

/** Names alone where they say which job it is. */
export function jobLabels(jobs: JobKey[]): string[] {
  const isUnique = (text: (job: JobKey) => string): boolean => new Set(jobs.map(text)).size === jobs.length;
  const forms = [({ name }: JobKey) => name, ({ namespace, name }: JobKey) => `${namespace}/${name}`, jobId];
  return jobs.map(forms.find(isUnique) ?? jobId);
}

/**
 * A plot for each metric and what it is counted in, those that most jobs report first. A job has one colour in all of them, and one line: what its
 * first replica printed. Runs of TensorBoard beyond the first are dashed lines of that colour.
 */
export function comparedCurves(jobs: ComparedJob[]): CurveGroup[] {
  const labels = jobLabels(jobs);
  const groups = new Map<string, CurveGroup & { jobs: Set<number> }>();
  for (const [place, job] of jobs.entries()) {
    for (const one of job.series) {
      const key = `${one.name}\n${one.x}`;
      const group = groups.get(key) ?? { name: one.name, x: one.x, series: [], jobs: new Set<number>() };
      groups.set(key, group);
      const own = group.series.filter((known) => known.colour === place);
      // Replicas of a job report the same; its runs, such as training and validation, do not.
      if (own.length > 0 && one.source === "log") continue;
      group.series.push(lineOf(one, job, place, labels[place] ?? job.name, own.length > 0));
      group.jobs.add(place);
    }
  }
  return [...groups.values()].sort((a, b) => b.jobs.size - a.jobs.size).map(({ name, x, series }) => ({ name, x, series }));
}

function lineOf(series: Series, job: JobKey, place: number, label: string, isDashed: boolean): PlotSeries {
  const { run, source, steps, values, times } = series;
  return { id: `${jobId(job)}/${source}/${run}`, label: isDashed ? `${label} · ${run || source}` : label, x: steps, y: values, times, colour: place, isDashed };
}
