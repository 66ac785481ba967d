/** Training jobs of all kinds. */
import { page, type App, type ObjectName } from "../app";
import { jobPath } from "./kinds/jobStates";
import { JOB_SEARCH } from "./search";

const JOB = /^(TF|PyTorch|MPI|XGBoost|Paddle|JAX|MX|Chainer|Train)?Job$/;

/** Jobs of the API group `batch` are plain Kubernetes. */
const isTrainingJob = ({ kind, apiVersion }: ObjectName): boolean => JOB.test(kind) && !apiVersion.startsWith("batch/");

export const TRAINING_APP: App = {
  name: "training",
  addresses: ["jobs"],
  pages: [
    page("/jobs/", () => import("./pages/JobList"), "JobList"),
    page("/jobs/compare", () => import("./pages/compare/CompareJobs"), "CompareJobs"),
    page("/jobs/new", () => import("./pages/new/NewJob"), "NewJob"),
    page("/jobs/$kind/$namespace/$name", () => import("./pages/JobDetails"), "JobDetails"),
  ],
  menu: { to: "/jobs/", icon: "jobs", label: (words) => words.jobs.menu, group: "work", order: 20 },
  search: JOB_SEARCH,
  pageOf: (object) => (isTrainingJob(object) ? jobPath(object) : undefined),
};
