/** Who is signed in, and which namespaces they work in. */
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { get } from "./client";

export type Role = "owner" | "contributor" | "viewer";

export interface Membership {
  namespace: string;
  role: Role;
}

export interface Session {
  user: string;
  version: string;
  logoutUrl: string;
  isClusterAdmin: boolean;
  /** The only user of a machine sees all of it, and changes nothing. */
  hasMachineView: boolean;
  memberships: Membership[];
  hasWorkgroup: boolean;
  registrationAllowed: boolean;
}

interface EnvInfo {
  user: string;
  platform: { kubeflowVersion: string; logoutUrl: string };
  namespaces: { namespace: string; role: Role }[];
  isClusterAdmin: boolean;
  hasMachineView: boolean;
}

interface Exists {
  hasWorkgroup: boolean;
  registrationFlowAllowed: boolean;
}

export const SESSION_KEY = ["session"];

export async function fetchSession(): Promise<Session> {
  const [info, exists] = await Promise.all([get<EnvInfo>("/api/workgroup/env-info"), get<Exists>("/api/workgroup/exists")]);
  return {
    user: info.user,
    version: info.platform.kubeflowVersion,
    logoutUrl: info.platform.logoutUrl,
    isClusterAdmin: info.isClusterAdmin,
    hasMachineView: info.hasMachineView,
    memberships: info.namespaces.map(({ namespace, role }) => ({ namespace, role })),
    hasWorkgroup: exists.hasWorkgroup,
    registrationAllowed: exists.registrationFlowAllowed,
  };
}

export function useSession(): UseQueryResult<Session> {
  return useQuery({ queryKey: SESSION_KEY, queryFn: fetchSession, staleTime: 60_000 });
}

/** Whether the person sees the health of every part, and all users. */
export const seesCluster = (session: Session | undefined): boolean => session !== undefined && (session.isClusterAdmin || session.hasMachineView);

const TRIES = 66;
const PAUSE_MS = 300;

/** Asks again until something about the person holds, at most 20 seconds: controllers need a moment. */
export async function sessionWhere(holds: (session: Session) => boolean): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    if (holds(await fetchSession())) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
