/** What the palette finds: pages, actions, and the objects of the chosen namespace. Pure. */
import type { JobsView, NotebooksView, TensorboardsView, VolumesView } from "../kinds/generated";
import { PATHS } from "../kinds/pipelines";
import { jobPath } from "../kinds/states";
import type { IconName } from "../parts/Icon";
import type { Words } from "../words";
import { MENU } from "./menu";

export interface Entry {
  id: string;
  label: string;
  detail: string;
  icon: IconName;
  to: string;
}

export interface Known {
  jobs: JobsView | undefined;
  notebooks: NotebooksView | undefined;
  tensorboards: TensorboardsView | undefined;
  volumes: VolumesView | undefined;
}

export function pageEntries(words: Words, isAdmin: boolean): Entry[] {
  const pages = MENU.flat()
    .filter((entry) => !entry.admin || isAdmin)
    .map((entry) => ({ id: entry.to, label: entry.label(words.shell), detail: "", icon: entry.icon, to: entry.to }));
  const ofPipelines: Entry[] = [PATHS.runs, PATHS.experiments, PATHS.recurringRuns, PATHS.artifacts].map((to, index) => ({
    id: to,
    label: Object.values(words.pipelines.sections)[index + 1] ?? "",
    detail: words.shell.pipelines,
    icon: "pipeline",
    to,
  }));
  return [...pages, ...ofPipelines, { id: "/account", label: words.shell.account, detail: "", icon: "person", to: "/account" }];
}

export function actionEntries(words: Words): Entry[] {
  return [
    { id: "new-notebook", label: words.home.newNotebook, detail: "", icon: "plus", to: "/jupyter/new" },
    { id: "new-job", label: words.home.newJob, detail: "", icon: "plus", to: "/jobs/new" },
    { id: "new-run", label: words.pipelines.runs.new, detail: "", icon: "plus", to: PATHS.newRun },
    { id: "upload-pipeline", label: words.pipelines.upload, detail: "", icon: "upload", to: PATHS.upload },
    { id: "new-board", label: words.shell.newTensorboard, detail: "", icon: "plus", to: "/tensorboards/new" },
    { id: "new-volume", label: words.shell.newVolume, detail: "", icon: "plus", to: "/volumes/new" },
  ];
}

export function objectEntries({ jobs, notebooks, tensorboards, volumes }: Known): Entry[] {
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
  ];
}
