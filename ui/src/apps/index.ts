/** All apps of the dashboard, in the order in which the palette lists their objects. */
import type { App } from "./app";
import { NOTEBOOKS_APP } from "./notebooks";
import { PIPELINES_APP } from "./pipelines";
import { PROFILES_APP } from "./profiles";
import { TENSORBOARDS_APP } from "./tensorboards";
import { TRAINING_APP } from "./training";
import { VOLCANO_APP } from "./volcano";
import { VOLUMES_APP } from "./volumes";

export const APPS: readonly App[] = [NOTEBOOKS_APP, TRAINING_APP, TENSORBOARDS_APP, VOLUMES_APP, VOLCANO_APP, PIPELINES_APP, PROFILES_APP];
