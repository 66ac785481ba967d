/** The parts of the home page that belong to apps, in the order in which the page shows them. */
import type { AppHome } from "./app";
import { NOTEBOOKS_HOME } from "./notebooks/home";
import { PIPELINES_HOME } from "./pipelines/home";
import { PROFILES_HOME } from "./profiles/home";
import { TENSORBOARDS_HOME } from "./tensorboards/home";
import { TRAINING_HOME } from "./training/home";

export const HOME_PARTS: readonly AppHome[] = [TRAINING_HOME, NOTEBOOKS_HOME, TENSORBOARDS_HOME, PIPELINES_HOME, PROFILES_HOME];
