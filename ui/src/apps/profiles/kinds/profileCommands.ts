/** Sharing and registration as command lines that do the same. Pure. */
import { joinCommand } from "../../../kinds/commandWords";
import { suggestedNamespace, type MemberRole } from "../api/people";

/** A namespace for someone who has none. */
export const newProfileCommand = (user: string): string => joinCommand(["windlass", "profile", "create", suggestedNamespace(user) || "NAME", "--owner", user]);

/** As kfam names the binding of a contributor. */
const bindingOf = (user: string, role: MemberRole): string => `user-${user.replaceAll(/[^A-Za-z0-9]+/g, "-")}-clusterrole-${role}`.toLowerCase();

export function shareCommand(namespace: string, user: string, role: MemberRole): string {
  const binding = bindingOf(user, role);
  const create = joinCommand(["kubectl", "create", "rolebinding", binding, "-n", namespace, `--clusterrole=kubeflow-${role}`, `--user=${user}`]);
  return `${create} && ${joinCommand(["kubectl", "annotate", "rolebinding", binding, "-n", namespace, `user=${user}`, `role=${role}`])}`;
}

export const unshareCommand = (namespace: string, user: string, role: MemberRole): string => joinCommand(["kubectl", "delete", "rolebinding", bindingOf(user, role), "-n", namespace]);
