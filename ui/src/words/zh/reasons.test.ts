import { expect, test } from "vitest";
import type { Explanation, ForecastView, Reason, Why } from "../../kinds/generated";
import { en } from "../en";
import { reasonText } from "./reasonText";
import { reasons } from "./reasons";

const HAN = /\p{Script=Han}/u;
const why = (change: Partial<Why>): Why => ({ code: "", sentence: "as the server says", reason: null, details: {}, fixes: [], ...change });
const amount = (value: number) => ({ value, text: String(value) });

const CLUSTER: Reason = { type: "ClusterInsufficient", shortages: [{ resource: "cpu", requested: "2400", free: "1800m" }, { resource: "memory", requested: "64Gi", free: "512Mi" }] };
const UNFIT: Reason = {
  type: "NodesUnfit",
  nodes: 3,
  counts: [
    { nodes: 1, cause: { code: "InsufficientResource", subject: "nvidia.com/gpu" } },
    { nodes: 2, cause: { code: "FromANewerServer" } },
  ],
  other: { type: "KeptForOthers", kept: [{ gang: "ml/bert", nodes: 2 }] },
};

test.each<[Reason, string]>([
  [CLUSTER, "需要集群中的 2400 cpu（空闲 1.8）、64Gi memory（空闲 512Mi）"],
  [UNFIT, "3 个节点都不适合：1 个节点的 nvidia.com/gpu 不足，2 个FromANewerServer，2 个节点保留给 ml/bert"],
  [{ type: "GangNotAdmitted", refusals: [CLUSTER, { type: "QueueHasChildren", queue: "root" }] }, "需要集群中的 2400 cpu（空闲 1.8）、64Gi memory（空闲 512Mi）；队列 root 有子队列：只有没有子队列的队列才接受任务"],
  [{ type: "GangUnschedulable", needed: 1, tasks: 1, pending: 1, unschedulable: 1, minAvailable: 1, pod: "ml/a-0", origin: { type: "QueueClosed", queue: "gold" } }, "ml/a-0：队列 gold 未开放"],
  [{ type: "GangIncomplete", have: 1, need: 4 }, "同组 Pod 不足：有 1 个，至少需要 4 个"],
  [{ type: "QueueOverLimit", queue: "gold", limits: [{ resource: "cpu", withIt: "12", limit: "8" }] }, "队列 gold 不能再使用所请求的资源（cpu：加上它为 12，上限 8）"],
])("the numbers of a reason are those of its data: %j", (reason, text) => {
  expect(reasonText(reason)).toBe(text);
  expect(reasons.why(why({ reason }))).toBe(text);
});

test("a reason of a newer server is shown in its own words", () => {
  const reason = { type: "FromANewerServer" } as unknown as Reason;

  expect(reasons.why(why({ reason }))).toBe("as the server says");
  expect(reasons.why(why({ reason: { type: "GangNotAdmitted", refusals: [reason as never] } }))).toBe("as the server says");
  expect(reasons.why(why({ code: "FromANewerServer" }))).toBe("as the server says");
  expect(reasons.fix({ code: "X", cause: "FromANewerServer", subject: "", text: "Do this", command: "", link: "" })).toBe("Do this");
});

test("what a container said stays as it is, behind a word for what happened", () => {
  expect(reasons.why(why({ code: "ImagePullBackOff", details: { message: 'pulling "x"' } }))).toBe('无法拉取镜像：pulling "x"');
  expect(reasons.why(why({ code: "OOMKilled", details: { container: "pytorch", pod: "bert-0", exitCode: "137", message: "" } }))).toBe("内存不足，程序被终止：bert-0 的容器 pytorch 以退出码 137 结束。");
});

test("a fix names what it is about", () => {
  const fix = (cause: string, subject: string) => reasons.fix({ code: "", cause, subject, text: "", command: "", link: "" });

  expect(fix("QueueClosed", "gold")).toBe("开放队列 gold，或换用其他队列");
  expect(fix("InsufficientResource", "")).toContain("所请求的资源");
});

const EXPLANATION: Explanation = {
  state: "Waiting",
  sentence: "",
  reason: null,
  notes: [],
  place: null,
  needs: [{ resource: "cpu", asked: amount(18), largestPod: amount(4), free: amount(2), largestFree: amount(2), total: amount(8), isShort: true }],
  shapes: [],
  holders: [{ name: "ml/other", kind: "TFJob", pods: 3, of: 4, priority: 0, queue: "", nodes: [] }],
  holdersEvicted: false,
  noRoom: null,
  start: { afterSeconds: 600, at: "2026-01-01T14:20:00Z", by: "forecast", nodes: {}, sentence: "", assumptions: [] },
  summary: "in English",
  fixes: [],
};

test("a summary says what is short, who holds it and when it would start", () => {
  expect(reasons.summary(EXPLANATION)).toBe("需要 18 cpu（空闲 2）；由 ml/other 占用（4 个 Pod 中的 3 个）。预计 14:20 UTC 左右启动。");
  expect(reasons.summary({ ...EXPLANATION, needs: [], reason: CLUSTER })).toMatch(HAN);
  expect(reasons.summary({ ...EXPLANATION, needs: [] })).toBe("in English");
});

test("a forecast says what is short and when it would start", () => {
  const view: ForecastView = { job: "", pods: 2, fitsNow: false, sentence: "in English", reason: null, evicts: false, short: [{ resource: "cpu", asked: amount(16), free: amount(2), short: amount(14), nodes: 1 }], nodesTotal: 1, nodesWithRoom: 0, afterSeconds: null, at: null, placement: {}, assumptions: [] };

  expect(reasons.forecast(view)).toBe("需要 16 cpu（空闲 2）。启动时间未知。");
  expect(reasons.forecast({ ...view, evicts: true })).toContain("驱逐");
  expect(reasons.forecast({ ...view, short: [] })).toBe("in English");
  expect(reasons.forecast({ ...view, short: [], reason: { type: "QueueClosed", queue: "gold" } })).toBe("队列 gold 未开放。启动时间未知。");
});

test("what a forecast takes for granted is counted, and stays in English where it is new", () => {
  const assumption = (code: string) => ({ code, count: 2, subject: "gold", text: "as the server says" });

  expect(reasons.assumptions([assumption("RunForever"), assumption("WithoutGang")])).toBe("2 个 Pod 视为一直运行：其用时未知；2 个不属于任务组的 Pod 视为在队列 gold 中等待");
  expect(reasons.assumptions([assumption("FromANewerServer")])).toBe("as the server says");
  expect(en.reasons.assumptions([assumption("RunForever"), assumption("WithoutGang")])).toBe("as the server says; as the server says");
});

test("why nothing makes room is said by its code, or by the reason", () => {
  expect(reasons.noRoom({ code: "NoRoom", reason: null, text: "even then" })).toBe("即使正在运行的任务全部结束，也没有足够的空间。");
  expect(reasons.noRoom({ code: "", reason: { type: "PreemptionPending" }, text: "even then" })).toBe("等待指定节点上被抢占的 Pod 终止。");
  expect(en.reasons.noRoom({ code: "NoRoom", reason: null, text: "even then" })).toBe("Even then.");
});

test("English has the words of `windlass explain`", () => {
  expect([en.reasons.why(why({})), en.reasons.summary(EXPLANATION)]).toEqual(["as the server says", "in English"]);
});

test.each([
  ["FailedScheduling", "无法调度"],
  ["Pulled", "已拉取镜像"],
  ["BackOff", "反复失败，稍后重试"],
  ["SomethingOfAnother", ""],
])("the reason %s of an event", (reason, word) => {
  expect(reasons.event(reason)).toBe(word);
});
