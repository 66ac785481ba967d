/** What the signed-in person may do in a namespace, asked once: controls that RBAC forbids are disabled and say why. */
import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { request } from "./client";
import type { Resource } from "./k8s";
import { useNamespace } from "./namespace";

interface Rule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
}

interface RulesReview {
  status: { resourceRules: Rule[] };
}

export interface Right {
  verb: string;
  group: string;
  resource: string;
  namespace: string;
  name?: string;
}

/** Undefined when allowed; otherwise the right that is missing, such as "delete notebooks.kubeflow.org". */
export type Missing = string | undefined;

const matches = (values: string[] | undefined, wanted: string): boolean =>
  values !== undefined && (values.includes("*") || values.includes(wanted));

export function allows(rules: Rule[], right: Right): boolean {
  return rules.some(
    (rule) =>
      matches(rule.verbs, right.verb) &&
      matches(rule.apiGroups, right.group) &&
      matches(rule.resources, right.resource) &&
      (rule.resourceNames === undefined || rule.resourceNames.length === 0 || rule.resourceNames.includes(right.name ?? "")),
  );
}

export function nameOf(right: Right): string {
  return `${right.verb} ${right.resource}${right.group === "" ? "" : `.${right.group}`}`;
}

export const rightTo = (verb: string, resource: Resource, namespace: string, name?: string): Right => ({
  verb,
  group: resource.group,
  resource: resource.resource,
  namespace,
  ...(name === undefined ? {} : { name }),
});

/** Of rights of which one is enough: undefined when there is one, otherwise the first of those that are missing. Pure. */
export const missingAll = (missing: Missing[]): Missing => (missing.includes(undefined) ? undefined : missing[0]);

/** The right that is missing to make something new in the chosen namespace; of several kinds, one is enough. */
export function useMissingToCreate(...resources: Resource[]): Missing {
  const { forNew } = useNamespace();
  const lacks = useRights(forNew);
  return missingAll(resources.map((resource) => lacks(rightTo("create", resource, forNew))));
}

/** A function that names the missing right. While the rules are being fetched nothing is forbidden: the server decides. */
export function useRights(namespace: string): (right: Right) => Missing {
  const { data } = useQuery({
    queryKey: ["rights", namespace],
    enabled: namespace !== "",
    staleTime: 60_000,
    queryFn: () =>
      request<RulesReview>("POST", "/api/k8s/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {
        body: { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectRulesReview", spec: { namespace } },
      }),
  });
  const rules = data?.status.resourceRules;
  return useCallback((right: Right) => (rules === undefined || allows(rules, right) ? undefined : nameOf(right)), [rules]);
}
