import { cluster } from "./cluster";
import { common } from "./common";
import { editing } from "./editing";
import { home } from "./home";
import { jobs } from "./jobs";
import { notebooks } from "./notebooks";
import { people } from "./people";
import { pipelines } from "./pipelines";
import { queues } from "./queues";
import { reasons } from "./reasons";
import { shell } from "./shell";
import { tensorboards } from "./tensorboards";
import { viewers } from "./viewers";
import { volumes } from "./volumes";
import { workflows } from "./workflows";

export const en = { cluster, common, editing, home, jobs, notebooks, people, pipelines, queues, reasons, shell, tensorboards, viewers, volumes, workflows };
