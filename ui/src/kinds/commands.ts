/** Buttons as command lines that do the same. Pure. */
import type { ObjectKey } from "../api/k8s";
import { joinCommand } from "./commandWords";

/** `kubectl patch` with a merge patch. */
export const mergeCommand = (resource: string, key: ObjectKey, patch: unknown): string =>
  joinCommand(["kubectl", "patch", resource, key.name, ...(key.namespace === "" ? [] : ["-n", key.namespace]), "--type", "merge", "-p", JSON.stringify(patch)]);

/** `kubectl apply` with the manifest in it: to be copied as it is. */
export const applyCommand = (manifest: string): string => `kubectl apply -f - <<'EOF'\n${manifest}\nEOF`;

export const revokeCommand = (user: string, token: string): string => joinCommand(["windlass", "user", "token", user, "--revoke", token]);

export const endSessionCommand = (user: string, id: string): string => joinCommand(["windlass", "user", "sessions", user, "--end", id]);
