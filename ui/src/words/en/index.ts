import { cluster } from "./cluster";
import { common } from "./common";
import { editing } from "./editing";
import { home } from "./home";
import { jobs } from "../../apps/training/words/en";
import { notebooks } from "../../apps/notebooks/words/en";
import { people } from "../../apps/profiles/words/en";
import { pipelines } from "../../apps/pipelines/words/en/pipelines";
import { queues } from "../../apps/volcano/words/en";
import { reasons } from "./reasons";
import { shell } from "./shell";
import { tensorboards } from "../../apps/tensorboards/words/en";
import { viewers } from "./viewers";
import { volumes } from "../../apps/volumes/words/en";
import { workflows } from "../../apps/pipelines/words/en/workflows";

export const en = { cluster, common, editing, home, jobs, notebooks, people, pipelines, queues, reasons, shell, tensorboards, viewers, volumes, workflows };
