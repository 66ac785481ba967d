/** Reasons of the server in Chinese, made of their data; the server's own sentence where a code is not known. */
import type { Words } from "..";
import type { Assumption, Explanation, Fix, ForecastView, Holder, JobView, NoRoom, PhaseStatus, Reason, ResourceNeed, Why } from "../../kinds/generated";
import { EVENT_REASONS } from "./eventReasons";
import { ASSUMPTIONS, CODES, FIXES, NO_ROOM, PHASES, PHASE_STATES } from "./reasonCodes";
import { reasonText } from "./reasonText";

const fill = (template: string, subject: string): string => template.replaceAll("{0}", subject === "" ? "所请求的资源" : subject);

/** Codes of which the word says all: what their message adds is elsewhere on the page. */
const SAID = new Set(["NoEventFiles"]);

/** A reason without data of the scheduler's: of a container, a pod or an event. What they say themselves stays as it is. */
function plain(why: Why): string {
  const word = CODES[why.code];
  const { exitCode, container = "", pod = "", message = "" } = why.details;
  if (exitCode !== undefined) {
    const ended = `${word ?? why.code}：${pod} 的容器 ${container} 以退出码 ${exitCode} 结束`;
    return message === "" ? `${ended}。` : `${ended}：${message}`;
  }
  if (word === undefined) return why.sentence;
  return message === "" || SAID.has(why.code) ? `${word}。` : `${word}：${message}`;
}

function fix(one: Fix): string {
  const template = FIXES[one.cause];
  return template === undefined ? one.text : fill(template, one.subject);
}

const sentence = (reason: Reason | null, fallback: string): string => (reason === null ? undefined : reasonText(reason)) ?? fallback;

function needText(need: ResourceNeed): string {
  if (need.asked.value > need.free.value) return `${need.asked.text} ${need.resource}（空闲 ${need.free.text}）`;
  return `单个节点上 ${need.largestPod.text} ${need.resource}（最多空闲 ${need.largestFree.text}）`;
}

function heldBy(holders: Holder[]): string {
  const [first, ...more] = holders;
  if (first === undefined) return "";
  const others = more.length === 0 ? "" : `，以及另外 ${more.length} 个`;
  return `；由 ${first.name === "" ? "其他人的任务" : first.name} 占用（${first.of} 个 Pod 中的 ${first.pods} 个）${others}`;
}

/** As the server says it, in UTC. */
function startText(start: { afterSeconds: number | null; at: string | null } | null): string {
  if (start === null) return "";
  if (start.afterSeconds === null || start.at === null) return "启动时间未知。";
  return start.afterSeconds < 1 ? "现在即可启动。" : `预计 ${start.at.slice(11, 16)} UTC 左右启动。`;
}

function summary(explanation: Explanation): string {
  const short = explanation.needs.filter((need) => need.isShort);
  if (short.length === 0) return sentence(explanation.reason, explanation.summary);
  return `需要 ${short.map(needText).join("；")}${heldBy(explanation.holders)}。${startText(explanation.start)}`;
}

function forecast(view: ForecastView): string {
  if (view.fitsNow) return `可以运行：全部 ${view.pods} 个 Pod 现在都能启动。`;
  if (view.evicts) return "无法与正在运行的任务同时运行：调度器会驱逐优先级较低的 Pod 来启动它。";
  const start = startText(view);
  if (view.short.length === 0) return view.reason === null ? view.sentence : `${sentence(view.reason, view.sentence)}。${start}`;
  return `需要 ${view.short.map((one) => `${one.asked.text} ${one.resource}（空闲 ${one.free.text}）`).join("；")}。${start}`;
}

function job(view: JobView): string {
  const { row, gang } = view;
  if (gang?.explanation?.state === "Waiting") return summary(gang.explanation);
  if (row.why !== null) return why(row.why);
  switch (row.state) {
    case "Running":
      return `${row.total} 个副本中有 ${row.ready} 个正在运行`;
    case "Succeeded":
      return `${row.total} 个副本中有 ${row.ready} 个已成功`;
    case "Suspended":
      return "已挂起：恢复之前没有 Pod";
    case "Restarting":
      return "有副本失败，正在重启";
    case "Terminating":
      return "正在删除";
    default:
      return "正在创建 Pod";
  }
}

/** What an event or a condition says stays as it is. */
const phase = (status: PhaseStatus): string => (status.state === "" ? PHASES[status.phase] : PHASE_STATES[status.state]) ?? status.message;

const noRoom = (one: NoRoom): string => `${NO_ROOM[one.code] ?? sentence(one.reason, one.text)}。`;

const assumption = (one: Assumption): string => ASSUMPTIONS[one.code]?.replaceAll("{0}", String(one.count)).replaceAll("{1}", one.subject) ?? one.text;

const why = (one: Why): string => (one.reason === null ? plain(one) : sentence(one.reason, one.sentence));

export const reasons: Words["reasons"] = {
  why,
  fix,
  summary,
  explanation: (explanation) => sentence(explanation.reason, explanation.sentence),
  forecast,
  phase,
  noRoom,
  assumptions: (assumptions) => assumptions.map(assumption).join("；"),
  event: (reason) => EVENT_REASONS[reason] ?? CODES[reason] ?? "",
  job,
};
