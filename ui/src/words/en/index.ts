import { cluster } from "./cluster";
import { common } from "./common";
import { home } from "./home";
import { jobs } from "./jobs";
import { notebooks } from "./notebooks";
import { people } from "./people";
import { pipelines } from "./pipelines";
import { queues } from "./queues";
import { shell } from "./shell";
import { tensorboards } from "./tensorboards";
import { viewers } from "./viewers";
import { volumes } from "./volumes";

export const en = { cluster, common, home, jobs, notebooks, people, pipelines, queues, shell, tensorboards, viewers, volumes };
