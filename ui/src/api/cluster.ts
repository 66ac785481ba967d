/** What an administrator does on the page of the cluster. */
import type { BackupAnswer, SessionEnded } from "../kinds/generated";
import { post, request } from "./client";

export const endSessionOf = (user: string, id: string): Promise<SessionEnded> =>
  request("DELETE", `/api/cluster/users/${encodeURIComponent(user)}/sessions/${encodeURIComponent(id)}`);

/** Writes a backup into the data directory of the server; nothing of it is sent. */
export const backUp = (): Promise<BackupAnswer> => post("/api/cluster/backup");
