/** The words of all apps, in Chinese: a missing or superfluous text is a type error. */
import { jobs } from "../training/words/zh";
import { notebooks } from "../notebooks/words/zh";
import { people } from "../profiles/words/zh";
import { pipelines } from "../pipelines/words/zh/pipelines";
import { queues } from "../volcano/words/zh";
import { tensorboards } from "../tensorboards/words/zh";
import { volumes } from "../volumes/words/zh";
import { workflows } from "../pipelines/words/zh/workflows";
import type { appsInEnglish } from "./en";

export const appsInChinese: typeof appsInEnglish = { jobs, notebooks, people, pipelines, queues, tensorboards, volumes, workflows };
