/** A reason of the scheduler in Chinese, with the numbers of its data; undefined for a type that is not known here. */
import type { NodeCause, NodeCount, Reason } from "../../kinds/generated";
import { amountText, quantityOf } from "../../kinds/quantities";
import { NODE_CAUSES } from "./reasonCodes";

interface Shortage {
  resource: string;
  requested: string;
  free: string;
}

const amount = (resource: string, quantity: string): string => {
  const value = quantityOf(quantity);
  return value === undefined ? quantity : amountText(resource, value);
};

const shortages = (all: Shortage[]): string => all.map((one) => `${amount(one.resource, one.requested)} ${one.resource}（空闲 ${amount(one.resource, one.free)}）`).join("、");

const causeText = (cause: NodeCause): string => (NODE_CAUSES[cause.code] ?? cause.code).replaceAll("{0}", cause.subject ?? "").replaceAll("{1}", cause.detail ?? "");

const countsText = (counts: NodeCount[]): string[] => counts.map((one) => `${one.nodes} 个${causeText(one.cause)}`);

const unfit = (nodes: number, parts: string[]): string => `${nodes} 个节点都不适合${parts.length === 0 ? "" : `：${parts.join("，")}`}`;

/** Parts of a list that are known; undefined when none is. */
function joined(parts: (string | undefined)[], separator: string): string | undefined {
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? undefined : known.join(separator);
}

export function reasonText(reason: Reason): string | undefined {
  switch (reason.type) {
    case "NoNodes":
      return "没有可供调度的节点";
    case "PodUnfit":
      return unfit(reason.nodes, [causeText(reason.cause)]);
    case "NodesUnfit": {
      const other = reason.other === undefined ? undefined : reasonText(reason.other);
      return unfit(reason.nodes, [...countsText(reason.counts ?? []), ...(other === undefined ? [] : [other])]);
    }
    case "GangPending":
      return `Pod ${reason.pod} 可以放在 ${reason.node} 上，等待同组的其他 Pod`;
    case "ReleasePending":
      return `Pod ${reason.pod} 可以放在 ${reason.node} 上，等待那里的资源释放`;
    case "QueueClosed":
      return `队列 ${reason.queue} 未开放`;
    case "QueueOverShare":
      return `队列 ${reason.queue} 已用完其份额：请求自己份额的其他队列优先`;
    case "QueueOverLimit": {
      const limits = (reason.limits ?? []).map((one) => `${one.resource}：加上它为 ${amount(one.resource, one.withIt)}，上限 ${amount(one.resource, one.limit)}`);
      return `队列 ${reason.queue} ${limits.length === 0 ? "或其上级" : ""}不能再使用所请求的资源${limits.length === 0 ? "" : `（${limits.join("，")}）`}`;
    }
    case "SchedulingGated":
      return `等待移除调度门：${reason.gates.join("、")}`;
    case "MadeRoomFor":
      return `它为 ${reason.gang} 让出了资源，后者先启动`;
    case "ClusterInsufficient":
      return `需要集群中的 ${shortages(reason.shortages)}`;
    case "QueueInsufficient":
      return `需要队列 ${reason.queue} 中的 ${shortages(reason.shortages)}`;
    case "QuotaInsufficient":
      return `需要的 ${reason.resources.join("、")} 超过配额 ${reason.quota} 的余量`;
    case "QueueHasChildren":
      return `队列 ${reason.queue} 有子队列：只有没有子队列的队列才接受任务`;
    case "ExtenderPending":
      return "扩展调度器尚未答复";
    case "ExtenderRefused":
      return `${reason.url} 的扩展调度器不允许它进入`;
    case "NotAllowed":
      return "不允许它进入队列";
    case "KeptForOthers":
      return reason.kept.map((one) => `${one.queue ? `队列 ${one.queue} 的份额` : `${one.nodes ?? 0} 个节点`}保留给 ${one.gang}${one.until ? `，直到 ${one.until}` : ""}`).join("，");
    case "NoHyperNode":
      return `没有${reason.tier ? `不高于 ${reason.tier} 层的` : ""}超节点能同时容纳 ${reason.pods} 个 Pod`;
    case "SubGroupsIncomplete":
      return `subGroupPolicy ${reason.policy}：需要 ${reason.need} 个 ${reason.size} 个 Pod 的小组，只有 ${reason.have} 个有空间`;
    case "GangUnschedulable": {
      const origin = reason.origin === undefined ? "其 Pod 找不到节点" : reasonText(reason.origin);
      return origin === undefined || !reason.pod ? origin : `${reason.pod}：${origin}`;
    }
    case "GangNotAdmitted":
      return joined(reason.refusals.map(reasonText), "；");
    case "GangIncomplete":
      return `同组 Pod 不足：有 ${reason.have} 个，至少需要 ${reason.need} 个`;
    case "TasksIncomplete":
      return "某个任务的 Pod 数量不足";
    case "PreemptionDisabled":
      return "preemptionPolicy 为 Never，不能抢占";
    case "PreemptionPending":
      return "等待指定节点上被抢占的 Pod 终止";
    case "PreemptionUnhelpful":
      return `抢占也无法腾出空间：${unfit(reason.nodes, countsText(reason.counts ?? []))}`;
    default:
      // A newer server may send a type that this page does not know.
      return undefined;
  }
}
