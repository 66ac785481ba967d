/** Training jobs of all kinds: where each is served, its state in words and colours, its replicas. Pure. */
import type { Resource } from "../../../api/k8s";
import type { Replica } from "../../../parts/grid/ReplicaGrid";
import type { State } from "../../../parts/pill/Pill";
import type { PlotSeries } from "../../../parts/plot/series";
import { KINDS, type JobRow, type MetricPoint, type ReplicaRow, type Series } from "../../../kinds/generated";

/** Volcano's kind is called `Job` in manifests and `vcjob` in commands. */
export const JOB_RESOURCES: Record<string, Resource> = {
  PyTorchJob: KINDS.PyTorchJob,
  TFJob: KINDS.TFJob,
  MPIJob: KINDS.MPIJob,
  XGBoostJob: KINDS.XGBoostJob,
  JAXJob: KINDS.JAXJob,
  PaddleJob: KINDS.PaddleJob,
  MXJob: KINDS.MXJob,
  ChainerJob: KINDS.ChainerJob,
  TrainJob: KINDS.TrainJob,
  Job: KINDS.VolcanoJob,
  vcjob: KINDS.VolcanoJob,
};

/** What the form for a new job can make. */
export const NEW_JOBS: Resource[] = [...new Set(Object.values(JOB_RESOURCES))];

/** Where a job is served; an older or newer version of its kind is what its `apiVersion` says. */
export function resourceOf(job: { kind: string; apiVersion?: string }): Resource | undefined {
  const known = JOB_RESOURCES[job.kind];
  if (known === undefined || job.apiVersion === undefined) return known;
  return { ...known, version: job.apiVersion.split("/")[1] ?? known.version };
}

export const hasEnded = (row: Pick<JobRow, "state">): boolean => row.state === "Succeeded" || row.state === "Failed";

/** The same as the button: also of a job that runs. */
export const restartCommand = (row: Pick<JobRow, "kind" | "apiVersion" | "namespace" | "name">): string =>
  `windlass job restart ${row.apiVersion.startsWith("batch.volcano.sh") ? "vcjob" : row.kind.toLowerCase()}/${row.name} -n ${row.namespace} --force`;

/** What is shown as the name of a kind: `Job` alone says too little. */
export const kindLabel = (row: Pick<JobRow, "kind" | "apiVersion">): string => (row.apiVersion.startsWith("batch.volcano.sh") ? "Volcano Job" : row.kind);

const PHASES: Record<string, State> = { Running: "running", Succeeded: "succeeded", Failed: "failed", Pending: "waiting", Absent: "stopped" };

/** A cell of the grid, with the use of its pod in the last minutes. */
export function replicaOf(row: ReplicaRow, namespace: string, cpu: MetricPoint[], memory: MetricPoint[]): Replica {
  const label = `${namespace}/${row.pod}`;
  const valuesOf = (points: MetricPoint[]) => (row.pod === "" ? [] : points.filter((point) => point.label === label).map((point) => point.value));
  const state = PHASES[row.phase] ?? "unknown";
  return {
    role: row.role,
    name: row.name,
    state: state === "waiting" && row.why !== null && row.node !== "" ? "failed" : state,
    word: row.why !== null && row.phase === "Pending" ? row.why.code : row.phase,
    node: row.node,
    restarts: row.restarts,
    exitCode: row.exitCode,
    why: row.why?.sentence,
    cpuCores: row.usage.cpuCores,
    memoryBytes: row.usage.memoryBytes,
    cpu: valuesOf(cpu),
    memory: valuesOf(memory),
  };
}

export interface CurveGroup {
  name: string;
  x: Series["x"];
  series: PlotSeries[];
}

/** One plot for each metric, with a line for each replica or run; losses come first, as the server sends them. */
export function curveGroups(series: Series[]): CurveGroup[] {
  const groups = new Map<string, CurveGroup>();
  for (const one of series) {
    const group = groups.get(one.name) ?? { name: one.name, x: one.x, series: [] };
    const label = one.replica || one.run || one.name;
    group.series.push({ id: `${one.source}/${one.replica}/${one.run}`, label, x: one.steps, y: one.values, times: one.times });
    groups.set(one.name, group);
  }
  return [...groups.values()];
}

/** The use of the job's pods over time, a line for each replica. */
export function usageSeries(points: MetricPoint[], replicas: ReplicaRow[], namespace: string): PlotSeries[] {
  return replicas
    .filter((replica) => replica.pod !== "")
    .map((replica) => {
      const own = points.filter((point) => point.label === `${namespace}/${replica.pod}`);
      return { id: replica.name, label: replica.name, x: own.map((point) => point.timestamp), y: own.map((point) => point.value) };
    })
    .filter((one) => one.x.length > 0);
}
