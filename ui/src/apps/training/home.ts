/** Training jobs on the home page. */
import type { AppHome } from "../app";
import { JOB_STATES, jobPath } from "./kinds/jobStates";
import { RecentJobs } from "./pages/RecentJobs";
import { NEW_JOB } from "./search";

export const TRAINING_HOME: AppHome = {
  creation: NEW_JOB,
  runningIn: ({ jobs }, words) =>
    jobs.map((job) => ({
      id: job.uid,
      to: jobPath(job),
      name: job.name,
      detail: `${job.kind} · ${words.jobs.home.replicas(job.ready, job.total)}`,
      state: JOB_STATES[job.state],
    })),
  wide: [RecentJobs],
};
