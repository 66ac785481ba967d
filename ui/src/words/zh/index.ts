import type { Words } from "..";
import { cluster } from "./cluster";
import { common } from "./common";
import { editing } from "./editing";
import { home } from "./home";
import { jobs } from "../../apps/training/words/zh";
import { notebooks } from "../../apps/notebooks/words/zh";
import { people } from "../../apps/profiles/words/zh";
import { pipelines } from "../../apps/pipelines/words/zh/pipelines";
import { queues } from "../../apps/volcano/words/zh";
import { reasons } from "./reasons";
import { shell } from "./shell";
import { tensorboards } from "../../apps/tensorboards/words/zh";
import { viewers } from "./viewers";
import { volumes } from "../../apps/volumes/words/zh";
import { workflows } from "../../apps/pipelines/words/zh/workflows";

export const zh: Words = { cluster, common, editing, home, jobs, notebooks, people, pipelines, queues, reasons, shell, tensorboards, viewers, volumes, workflows };
