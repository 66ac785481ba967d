/** What the pages use of Argo Server's REST API (`/argo/api/v1`): verbs on Workflows, and the addresses of logs that outlive their pods. */
import { request } from "../../../api/client";
import type { KubeObject, ObjectKey } from "../../../api/k8s";

const BASE = "/argo/api/v1";
const at = encodeURIComponent;
const pathOf = (kind: "workflows" | "cron-workflows", { namespace, name }: ObjectKey, verb: string): string => `${BASE}/${kind}/${at(namespace)}/${at(name)}/${verb}`;

export type WorkflowVerb = "suspend" | "resume" | "stop" | "terminate" | "retry";

export const actOnWorkflow = (key: ObjectKey, verb: WorkflowVerb): Promise<unknown> => request("PUT", pathOf("workflows", key, verb), { body: {} });

/** A new Workflow with the same specification. */
export const resubmitWorkflow = (key: ObjectKey): Promise<KubeObject> => request<KubeObject>("PUT", pathOf("workflows", key, "resubmit"), { body: {} });

export const actOnCronWorkflow = (key: ObjectKey, verb: "suspend" | "resume"): Promise<unknown> => request("PUT", pathOf("cron-workflows", key, verb), { body: {} });

/** A Workflow of a schedule now, besides those that come by themselves. */
export const submitCronWorkflow = ({ namespace, name }: ObjectKey): Promise<KubeObject> =>
  request<KubeObject>("POST", `${BASE}/workflows/${at(namespace)}/submit`, { body: { resourceKind: "CronWorkflow", resourceName: name } });

/** The log of a pod of a Workflow; it is there also when the pod is gone. */
export const workflowLogPath = (key: ObjectKey, pod: string): string =>
  `${pathOf("workflows", key, `${at(pod)}/log`)}?logOptions.follow=true&logOptions.timestamps=true`;
