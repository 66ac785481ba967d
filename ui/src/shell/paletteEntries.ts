/** What the palette finds: pages, actions, and the objects of the chosen namespace. Pure. */
import { objectPath } from "../api/discovery";
import type { Resource } from "../api/k8s";
import type { ForeignEntry } from "../api/menu";
import { ALL } from "../api/namespace";
import type { Missing } from "../api/rights";
import type { JobsView, NotebooksView, QueuesView, TensorboardsView, VolumesView } from "../kinds/generated";
import { NEW_JOBS } from "../apps/training/kinds/jobs";
import { NOTEBOOKS } from "../apps/notebooks/kinds/notebooks";
import { PATHS, RIGHTS, nameOf, type Pipeline, type Run } from "../apps/pipelines/kinds/pipelines";
import { jobPath } from "../apps/training/kinds/jobStates";
import { TENSORBOARDS } from "../apps/tensorboards/kinds/tensorboards";
import { CLAIMS } from "../apps/volumes/kinds/volumes";
import { WORKFLOW_PATHS } from "../apps/pipelines/kinds/workflows/workflows";
import type { IconName } from "../parts/Icon";
import type { Words } from "../words";
import { MENU, OUTSIDE } from "./menu";

export interface Entry {
  id: string;
  label: string;
  detail: string;
  icon: IconName;
  /** A page of the dashboard. */
  to?: string;
  /** A page of others: in a frame, or in a new tab. */
  outside?: ForeignEntry;
  /** A namespace that becomes the chosen one. */
  namespace?: string;
  /** The right that is missing: the entry is shown, disabled, with the reason. */
  missing?: Missing;
}

/** The right that is missing to make one of some kinds. */
export type LacksToCreate = (...resources: Resource[]) => Missing;

export interface Known {
  jobs: JobsView | undefined;
  notebooks: NotebooksView | undefined;
  tensorboards: TensorboardsView | undefined;
  volumes: VolumesView | undefined;
  queues?: QueuesView | undefined;
  pipelines?: Pipeline[] | undefined;
  runs?: Run[] | undefined;
}

const SECTIONS = [
  ["runs", PATHS.runs],
  ["experiments", PATHS.experiments],
  ["recurring", PATHS.recurringRuns],
  ["artifacts", PATHS.artifacts],
  ["executions", PATHS.executions],
  ["workflows", WORKFLOW_PATHS.workflows],
] as const;

export function pageEntries(words: Words, isAdmin: boolean): Entry[] {
  const pages = MENU.flat()
    .filter((entry) => !entry.admin || isAdmin)
    .map((entry) => ({ id: entry.to, label: entry.label(words.shell), detail: "", icon: entry.icon, to: entry.to }));
  const ofPipelines: Entry[] = SECTIONS.map(([section, to]) => ({
    id: to,
    label: words.pipelines.sections[section],
    detail: words.shell.pipelines,
    icon: "pipeline",
    to,
  }));
  return [...pages, ...ofPipelines, { id: "/account", label: words.shell.account, detail: "", icon: "person", to: "/account" }];
}

export function actionEntries(words: Words, lacks: LacksToCreate): Entry[] {
  return [
    { id: "new-notebook", label: words.home.newNotebook, detail: "", icon: "plus", to: "/jupyter/new", missing: lacks(NOTEBOOKS) },
    { id: "new-job", label: words.home.newJob, detail: "", icon: "plus", to: "/jobs/new", missing: lacks(...NEW_JOBS) },
    { id: "new-run", label: words.pipelines.runs.new, detail: "", icon: "plus", to: PATHS.newRun, missing: lacks(RIGHTS.runs) },
    { id: "upload-pipeline", label: words.pipelines.upload, detail: "", icon: "upload", to: PATHS.upload, missing: lacks(RIGHTS.pipelines) },
    { id: "new-board", label: words.shell.newTensorboard, detail: "", icon: "plus", to: "/tensorboards/new", missing: lacks(TENSORBOARDS) },
    { id: "new-volume", label: words.shell.newVolume, detail: "", icon: "plus", to: "/volumes/new", missing: lacks(CLAIMS) },
  ];
}

/** Entries of plug-ins, of an administrator's menu, and what is outside of the dashboard. */
export function foreignPages(words: Words, foreign: ForeignEntry[]): Entry[] {
  const outside = OUTSIDE.map((entry) => ({ text: entry.label(words.shell), href: entry.to, external: true, icon: entry.icon }));
  const others = foreign.map((entry) => ({ ...entry, icon: entry.external ? ("external" as const) : ("link" as const) }));
  return [...others, ...outside].map(({ icon, ...entry }, index) => ({ id: `outside ${index} ${entry.href}`, label: entry.text, detail: entry.external ? words.shell.newTab : "", icon, outside: entry }));
}

export function namespaceEntries(words: Words, namespaces: string[], chosen: string): Entry[] {
  return namespaces
    .filter((name) => name !== chosen)
    .map((name) => ({ id: `namespace ${name}`, label: name === ALL ? words.shell.allNamespaces : name, detail: words.shell.chooseNamespace, icon: "folder", namespace: name }));
}

/** The lists of all kinds that the server has. */
export function kindEntries(words: Words, resources: Resource[]): Entry[] {
  return resources.map((one) => ({ id: `kind ${one.group}/${one.version}/${one.resource}`, label: one.kind, detail: one.group === "" ? words.shell.objects : one.group, icon: "objects", to: objectPath(one) }));
}

export function objectEntries({ shell: { found } }: Words, { jobs, notebooks, tensorboards, volumes, queues, pipelines, runs }: Known): Entry[] {
  const page = (kind: string, icon: IconName, base: string) => (row: { namespace: string; name: string }) => ({
    id: `${kind}/${row.namespace}/${row.name}`,
    label: row.name,
    detail: `${kind} · ${row.namespace}`,
    icon,
    to: `${base}/${row.namespace}/${row.name}`,
  });
  return [
    ...(notebooks?.rows ?? []).map(page("Notebook", "notebook", "/jupyter/notebook/details")),
    ...(jobs?.rows ?? []).map((row) => ({
      id: `${row.kind}/${row.namespace}/${row.name}`,
      label: row.name,
      detail: `${row.kind} · ${row.namespace}`,
      icon: "jobs" as const,
      to: jobPath(row),
    })),
    ...(tensorboards?.rows ?? []).map(page("Tensorboard", "board", "/tensorboards/details")),
    ...(volumes?.rows ?? []).map(page("PersistentVolumeClaim", "volume", "/volumes/details")),
    ...(queues?.queues ?? []).map(({ name }) => ({ id: `Queue/${name}`, label: name, detail: found.queue, icon: "queues" as const, to: `/queues/${name}` })),
    ...(pipelines ?? []).map((one) => ({ id: `pipeline ${one.pipeline_id}`, label: nameOf(one), detail: found.pipeline, icon: "pipeline" as const, to: PATHS.pipeline(one.pipeline_id) })),
    ...(runs ?? []).map((one) => ({ id: `run ${one.run_id}`, label: nameOf(one), detail: found.run, icon: "pipeline" as const, to: PATHS.run(one.run_id) })),
  ];
}
