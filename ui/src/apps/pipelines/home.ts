/** Runs and pipelines on the home page. */
import type { AppHome } from "../app";
import { RecentPipelines, RecentRuns } from "./pages/RecentRuns";

export const PIPELINES_HOME: AppHome = { wide: [RecentRuns], narrow: [RecentPipelines] };
