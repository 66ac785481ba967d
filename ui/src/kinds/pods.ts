/** Pods, which several apps show. */
import type { Resource } from "../api/k8s";

export const PODS: Resource = { group: "", version: "v1", resource: "pods", kind: "Pod", namespaced: true };
