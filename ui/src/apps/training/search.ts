/** Training jobs in the palette. */
import { useNamespacedView } from "../../api/namespacedView";
import type { JobRow, JobsView } from "../../kinds/generated";
import type { AppSearch, Creation, FoundObject } from "../app";
import { NEW_JOBS } from "./kinds/jobs";
import { jobPath } from "./kinds/jobStates";
import { useJobActions } from "./pages/useJobActions";

export const NEW_JOB: Creation = { id: "new-job", to: "/jobs/new", icon: "plus", label: (words) => words.jobs.form.title, resources: NEW_JOBS, order: 20 };

export const foundJobs = (rows: JobRow[]): FoundObject[] =>
  rows.map((row) => ({
    id: `${row.kind}/${row.namespace}/${row.name}`,
    label: row.name,
    detail: `${row.kind} · ${row.namespace}`,
    icon: "jobs",
    to: jobPath(row),
    useActions: () => useJobActions(row),
  }));

export const JOB_SEARCH: AppSearch = {
  creations: [NEW_JOB],
  useObjects: () => foundJobs(useNamespacedView<JobsView>("jobs").data?.rows ?? []),
};
