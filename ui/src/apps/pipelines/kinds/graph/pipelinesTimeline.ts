/** A run as a timeline (a row a task) and runs × tasks as a grid. Pure. */
import { nameOf, runSeconds, stateOf, timeOf, type Run, type RunState } from "../pipelines";
import type { GraphNode } from "./pipelinesGraph";
import { recordsOf, type NodeState, type TaskRecord } from "./pipelinesTasks";

export interface TimelineRow {
  id: string;
  label: string;
  depth: number;
  state: NodeState;
  isGroup: boolean;
  /** Milliseconds since 1970; undefined where it has not begun. */
  created: number | undefined;
  started: number | undefined;
  /** The present while it runs. */
  ended: number | undefined;
}

const ms = (text: string | undefined): number | undefined => (text === undefined ? undefined : Date.parse(text));

/** A row for each task that is visible with these groups unfolded; children by their start. */
export function timelineRows(nodes: GraphNode[], open: ReadonlySet<string>, now: number, depth = 0): TimelineRow[] {
  return nodes
    .map((node) => ({ node, row: rowOf(node, depth, now) }))
    .sort((a, b) => (a.row.created ?? a.row.started ?? Infinity) - (b.row.created ?? b.row.started ?? Infinity) || 0)
    .flatMap(({ node, row }) => [row, ...(open.has(node.id) ? timelineRows(node.children, open, now, depth + 1) : [])]);
}

function rowOf(node: GraphNode, depth: number, now: number): TimelineRow {
  const inside = node.record === undefined ? node.children.map((child) => rowOf(child, 0, now)) : [];
  const least = (values: (number | undefined)[]): number | undefined => values.reduce((a, b) => (a === undefined || (b !== undefined && b < a) ? b : a), undefined);
  const started = ms(node.record?.started) ?? least(inside.map((row) => row.started));
  const ends = inside.map((row) => row.ended).filter((end) => end !== undefined);
  const ended = ms(node.record?.ended) ?? (ends.length > 0 ? Math.max(...ends) : undefined);
  return {
    id: node.id,
    label: node.kind === "iteration" ? `#${node.label}` : node.label,
    depth,
    state: node.state,
    isGroup: node.children.length > 0,
    created: ms(node.record?.created) ?? least(inside.map((row) => row.created)) ?? started,
    started,
    ended: node.state === "running" ? now : (ended ?? (started === undefined ? undefined : started)),
  };
}

/** From the first start to the last end. */
export function timelineSpan(rows: TimelineRow[]): [number, number] | undefined {
  const starts = rows.flatMap((row) => (row.created === undefined ? [] : [row.created]));
  const ends = rows.flatMap((row) => (row.ended === undefined ? [] : [row.ended]));
  if (starts.length === 0) return undefined;
  // Not by spread: a run can have more tasks than a call has arguments.
  const from = starts.reduce((a, b) => Math.min(a, b));
  return [from, Math.max(from + 1000, ends.reduce((a, b) => Math.max(a, b), from))];
}

const STEPS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400, 172_800, 604_800];

/** Seconds since the start at which the axis has a mark: at most `count`. */
export function timelineTicks([from, to]: [number, number], count: number): number[] {
  const seconds = (to - from) / 1000;
  const step = STEPS_S.find((one) => seconds / one <= count) ?? Math.ceil(seconds / count / 604_800) * 604_800;
  return Array.from({ length: Math.floor(seconds / step) + 1 }, (_, index) => index * step);
}

export interface GridColumn {
  id: string;
  label: string;
  state: RunState;
  created: string | undefined;
  seconds: number | undefined;
  /** Undefined until the run's tasks are known. */
  cells: Record<string, NodeState> | undefined;
}

export interface RunGridData {
  /** Oldest first. */
  columns: GridColumn[];
  /** `key` is the way to it from the root: `exit-handler-1.train`. */
  tasks: { key: string; label: string }[];
}

/** Up to `count` of some runs, newest first, with the current one among them: the newest, or those around it. */
export function runsAround(runs: Run[], current: string, count: number): Run[] {
  const place = runs.findIndex((run) => run.run_id === current);
  const first = place < count ? 0 : Math.min(place - Math.floor(count / 2), runs.length - count);
  return runs.slice(first, first + count);
}

/** Runs × their outermost tasks; `full` holds the runs whose tasks have been read. */
export function runGrid(runs: Run[], full: ReadonlyMap<string, Run>, now: number): RunGridData {
  const sorted = [...runs].sort((a, b) => Date.parse(a.created_at ?? "") - Date.parse(b.created_at ?? ""));
  const tasks = new Map<string, string>();
  const columns = sorted.map((run): GridColumn => {
    const read = full.get(run.run_id);
    const top = read === undefined ? undefined : outermost(recordsOf(read));
    for (const { key, record } of top ?? []) tasks.set(key, record.label);
    return {
      id: run.run_id,
      label: nameOf(run),
      state: stateOf(run),
      created: timeOf(run.created_at),
      seconds: runSeconds(run, now),
      cells: top && Object.fromEntries(top.map(({ key, record }) => [key, record.state])),
    };
  });
  return { columns, tasks: [...tasks].map(([key, label]) => ({ key, label })) };
}

/** Runs of one pipeline: tasks of another would be rows that all its runs lack. */
export interface RunGroup {
  /** The id of the pipeline, or the name in the specification of runs that were started from a file. */
  key: string;
  name: string | undefined;
  isInline: boolean;
  runs: Run[];
}

/** Runs by their pipeline, in the order in which the pipelines come first. */
export function runsByPipeline(runs: Run[]): RunGroup[] {
  const groups = new Map<string, RunGroup>();
  for (const run of runs) {
    const id = run.pipeline_version_reference?.pipeline_id;
    const name = id === undefined ? specName(run.pipeline_spec) : undefined;
    const key = id ?? `spec/${name ?? ""}`;
    const group = groups.get(key) ?? { key, name, isInline: id === undefined, runs: [] };
    group.runs.push(run);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** The name in the specification of a v2 pipeline, or of a Workflow. */
function specName(spec: unknown): string | undefined {
  const { pipelineInfo, pipeline_spec, metadata } = (spec ?? {}) as { pipelineInfo?: { name?: string }; pipeline_spec?: unknown; metadata?: { name?: string; generateName?: string } };
  return pipelineInfo?.name ?? (pipeline_spec === undefined ? (metadata?.name ?? metadata?.generateName) : specName(pipeline_spec));
}

/** The tasks right below the root, in the order of their start; an exit handler is only a wrapper around others. */
export function outermost(records: TaskRecord[]): { key: string; record: TaskRecord }[] {
  const ids = new Set(records.map((record) => record.id));
  const tops = records.filter((record) => !ids.has(record.parent));
  const root = records.find((record) => record.type === "ROOT") ?? (tops.length === 1 ? tops[0] : undefined);
  const inside = root === undefined ? tops : records.filter((record) => record.parent === root.id);
  const found = inside.length === 0 ? tops : inside;
  return inOrder(found).flatMap((record) => {
    const within = record.type === "EXIT_HANDLER" ? inOrder(records.filter((one) => one.parent === record.id)) : [];
    return within.length === 0 ? [{ key: record.name, record }] : within.map((one) => ({ key: `${record.name}.${one.name}`, record: one }));
  });
}

function inOrder(records: TaskRecord[]): TaskRecord[] {
  return [...records].sort((a, b) => Date.parse(a.started ?? a.created ?? "9999") - Date.parse(b.started ?? b.created ?? "9999"));
}
