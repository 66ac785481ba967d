/** Sharing, registration and profiles: the dashboard's workgroup API. */
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { get, post, request } from "../../../api/client";

export type MemberRole = "view" | "edit" | "admin";

export interface Contributor {
  user: string;
  role: MemberRole;
}

const ROLES: MemberRole[] = ["view", "edit", "admin"];
const at = (namespace: string): string => encodeURIComponent(namespace);

async function contributors(namespace: string): Promise<Contributor[]> {
  const lists = await Promise.all(
    ROLES.map((role) => get<string[]>(`/api/workgroup/get-contributors/${at(namespace)}?role=${role}`)),
  );
  return lists.flatMap((users, index) => users.map((user) => ({ user, role: ROLES[index] ?? "view" })));
}

export const useContributors = (namespace: string): UseQueryResult<Contributor[]> =>
  useQuery({ queryKey: ["contributors", namespace], queryFn: () => contributors(namespace) });

export const addContributor = (namespace: string, contributor: string, role: MemberRole): Promise<unknown> =>
  post(`/api/workgroup/add-contributor/${at(namespace)}`, { contributor, role });

export const removeContributor = (namespace: string, contributor: string, role: MemberRole): Promise<unknown> =>
  request("DELETE", `/api/workgroup/remove-contributor/${at(namespace)}`, { body: { contributor, role } });

export type ProfileRow = [namespace: string, owner: string, contributors: string];

export const useAllProfiles = (enabled: boolean): UseQueryResult<ProfileRow[]> =>
  useQuery({ queryKey: ["profiles"], queryFn: () => get<ProfileRow[]>("/api/workgroup/get-all-namespaces"), enabled });

export interface DeletedProfile {
  namespace: string;
  deletedAt: string;
}

export const useRecycleBin = (): UseQueryResult<DeletedProfile[]> =>
  useQuery({ queryKey: ["recycle-bin"], queryFn: () => get<DeletedProfile[]>("/api/workgroup/recycle-bin") });

export const restoreProfile = (namespace: string): Promise<unknown> => post("/api/workgroup/restore", { namespace });

export const deleteProfile = (namespace: string): Promise<unknown> =>
  request("DELETE", "/api/workgroup/nuke-self", { body: { namespace, confirm: namespace } });

export const createProfile = (namespace: string): Promise<unknown> => post("/api/workgroup/create", { namespace });

/** The name that is proposed to a new user: the part before the @, as a namespace can be called. Pure. */
export function suggestedNamespace(user: string): string {
  return (user.split("@")[0] ?? "")
    .replace(/[^\w]+/g, "-")
    .replace(/_/g, "")
    .replace(/^-+|-+$/g, "")
    .toLowerCase();
}

/** Whether a text can be the name of a namespace. */
export const isNamespaceName = (name: string): boolean => name.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name);

/** Good enough to catch a slip; the server decides. */
export const looksLikeEmail = (text: string): boolean => text.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(text);
