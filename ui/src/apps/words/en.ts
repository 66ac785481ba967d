/** The words of all apps, in English: listed by name, so that each text has its type. */
import { jobs } from "../training/words/en";
import { notebooks } from "../notebooks/words/en";
import { people } from "../profiles/words/en";
import { pipelines } from "../pipelines/words/en/pipelines";
import { queues } from "../volcano/words/en";
import { tensorboards } from "../tensorboards/words/en";
import { volumes } from "../volumes/words/en";
import { workflows } from "../pipelines/words/en/workflows";

export const appsInEnglish = { jobs, notebooks, people, pipelines, queues, tensorboards, volumes, workflows };
