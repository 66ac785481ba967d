import type { Words } from "..";
import { appsInChinese } from "../../apps/words/zh";
import { account } from "./account";
import { activity } from "./activity";
import { cluster } from "./cluster";
import { common } from "./common";
import { editing } from "./editing";
import { home } from "./home";
import { later } from "./later";
import { reasons } from "./reasons";
import { shell } from "./shell";
import { viewers } from "./viewers";

export const zh: Words = { ...appsInChinese, account, activity, cluster, common, editing, home, later, reasons, shell, viewers };
