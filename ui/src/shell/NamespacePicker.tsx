import { useMemo } from "react";
import { ALL, useNamespace } from "../api/namespace";
import { useSession } from "../api/session";
import { Choice } from "../parts/field/Choice";
import { useWords } from "../words";
import styles from "./Shell.module.css";

/** The namespace that the pages show; its role as a hint. */
export function NamespacePicker() {
  const words = useWords().shell;
  const { data: session } = useSession();
  const { chosen, choose } = useNamespace();
  const options = useMemo(() => {
    const members = (session?.memberships ?? []).map(({ namespace, role }) => ({
      value: namespace,
      label: role === "owner" ? `${namespace} (${words.owner})` : namespace,
      hint: role === "owner" ? undefined : words.roles[role],
    }));
    const named = members.some((option) => option.value === chosen) || chosen === "" || chosen === ALL;
    return [...(chosen === "" ? [{ value: "", label: words.noNamespace }] : []), ...members, ...(named ? [] : [{ value: chosen, label: chosen }]), { value: ALL, label: words.allNamespaces }];
  }, [session, chosen, words]);
  return (
    <div className={styles.namespace}>
      <Choice label={words.chooseNamespace} hideLabel options={options} value={chosen} onChange={choose} />
    </div>
  );
}
