/** Sessions, access tokens and the password of the signed-in person. */
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { get, post, request } from "./client";

export interface SessionRow {
  id: string;
  current: boolean;
  created: string;
  lastUsed: string;
  expires: string;
  address?: string;
  userAgent?: string;
}

export interface TokenRow {
  name: string;
  created: string;
  expires: string;
  scopes: string[];
}

/** Times come as seconds since 1970. */
type Timed<T> = Omit<T, "created" | "lastUsed" | "expires"> & { created: number; lastUsed?: number; expires: number };

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();

export const SESSIONS_KEY = ["account", "sessions"];
export const TOKENS_KEY = ["account", "tokens"];

export const useSessions = (): UseQueryResult<SessionRow[]> =>
  useQuery({
    queryKey: SESSIONS_KEY,
    queryFn: async () => {
      const { sessions } = await get<{ sessions: Timed<SessionRow>[] }>("/api/account/sessions");
      return sessions.map((row) => ({ ...row, created: iso(row.created), lastUsed: iso(row.lastUsed ?? 0), expires: iso(row.expires) }));
    },
  });

export const useTokens = (): UseQueryResult<TokenRow[]> =>
  useQuery({
    queryKey: TOKENS_KEY,
    queryFn: async () => {
      const { tokens } = await get<{ tokens: Timed<TokenRow>[] }>("/api/account/tokens");
      return tokens.map((row) => ({ ...row, created: iso(row.created), expires: iso(row.expires) }));
    },
  });

/** Only a command on the machine allows it again. */
export const endMachineView = (): Promise<unknown> => request("DELETE", "/api/account/machine-view");

export const endSession = (id: string): Promise<unknown> => request("DELETE", `/api/account/sessions/${encodeURIComponent(id)}`);

/** The value is in this answer alone. */
export async function createToken(name: string, scopes?: string[]): Promise<string> {
  const body = scopes === undefined ? { name } : { name, scopes };
  return (await post<{ token: { value: string } }>("/api/account/tokens", body)).token.value;
}

export const revokeToken = (name: string): Promise<unknown> => request("DELETE", `/api/account/tokens/${encodeURIComponent(name)}`);

export const changePassword = (current: string, wanted: string): Promise<unknown> =>
  post("/api/account/password", { current, new: wanted });

const LIFE_CHECK_MS = 300_000;

/** Seconds until the session ends; undefined while unknown, or where no session is used. An open page keeps it in use. */
export function useSessionLife(): number | undefined {
  const { data } = useQuery({
    queryKey: ["account", "session"],
    queryFn: () => get<{ session: { expiresIn: number } | null }>("/api/account/session"),
    refetchInterval: LIFE_CHECK_MS,
  });
  return data?.session?.expiresIn;
}
