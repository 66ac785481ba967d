/** Addresses of Kubeflow's own pages of pipelines (`/pipeline/#/runs/details/…`), which SDKs print, as pages of this dashboard. Pure. */
import type { Landing } from "../../app";

/** Where Kubeflow's pages may be asked for: SDKs add the hash to the host that they were given. */
const PLACES = /^(\/_)?\/pipeline\/?$/;

type Rule = [pattern: RegExp, to: (...parts: string[]) => Landing];

const page = (to: string, search: Record<string, string> = {}): Landing => ({ to, search });

const RULES: Rule[] = [
  [/^runs\/details\/([^/]+)/, (id) => page(`/pipelines/runs/details/${id}`)],
  [/^runs\/new/, () => page("/pipelines/runs/new")],
  [/^runs$/, () => page("/pipelines/runs/")],
  [/^archive\/runs$/, () => page("/pipelines/runs/", { archived: "yes" })],
  [/^archive\/experiments$/, () => page("/pipelines/experiments/", { archived: "yes" })],
  [/^compare$/, () => page("/pipelines/runs/compare")],
  [/^experiments\/details\/([^/]+)/, (id) => page(`/pipelines/experiments/${id}`)],
  [/^experiments(\/new)?$/, () => page("/pipelines/experiments/")],
  [/^pipelines\/details\/([^/]+)\/version\/([^/]+)/, (id, version) => page(`/pipelines/details/${id}`, { version })],
  [/^pipelines\/details\/([^/]+)/, (id) => page(`/pipelines/details/${id}`)],
  [/^pipeline_versions\/new/, () => page("/pipelines/upload")],
  [/^(shared\/)?pipelines/, () => page("/pipelines/")],
  [/^recurringruns?\/details\/([^/]+)/, (id) => page(`/pipelines/recurring/${id}`)],
  [/^recurringruns?/, () => page("/pipelines/recurring/")],
  [/^artifacts\/([^/]+)/, (id) => page(`/pipelines/artifacts/${id}`)],
  [/^artifacts/, () => page("/pipelines/artifacts/")],
  [/^executions\/([^/]+)/, (id) => page(`/pipelines/executions/${id}`)],
  [/^executions/, () => page("/pipelines/executions/")],
];

/** What Kubeflow calls the parameters of its pages, and what they are called here. */
const RENAMED: Record<string, string> = {
  runlist: "runs",
  experimentId: "experiment",
  pipelineId: "pipeline",
  pipelineVersionId: "version",
  cloneFromRun: "from",
};

/** The page for a path and hash (without `#`); undefined where they are not Kubeflow's. */
export function landingOf(pathname: string, hash: string): Landing | undefined {
  const isPipelines = PLACES.test(pathname);
  if (!isPipelines && pathname !== "/") return undefined;
  const [path = "", query = ""] = hash.replace(/^#?\/?/, "").split("?");
  const found = RULES.flatMap(([pattern, to]) => {
    const match = pattern.exec(path.replace(/\/$/, ""));
    return match === null ? [] : [to(...match.slice(1))];
  })[0];
  if (found === undefined) return isPipelines ? page("/pipelines/") : undefined;
  const given = Object.fromEntries([...new URLSearchParams(query)].map(([key, value]) => [RENAMED[key] ?? key, value]));
  return { to: found.to, search: { ...given, ...found.search } };
}
