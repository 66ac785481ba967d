import { useNavigate, useSearch } from "@tanstack/react-router";
import type { StorageState } from "../kinds/pipelines";
import { Segments } from "../../../parts/field/Segments";
import { useWords } from "../../../words";

/** Whether a list shows what is archived: in the URL. */
export function useStorageState(): StorageState {
  const search: { archived?: string } = useSearch({ strict: false });
  return search.archived === "yes" ? "ARCHIVED" : "AVAILABLE";
}

export function ArchiveSwitch() {
  const words = useWords().pipelines;
  const state = useStorageState();
  const navigate = useNavigate();
  return (
    <Segments
      label={words.storage}
      value={state}
      options={[
        { value: "AVAILABLE", label: words.active },
        { value: "ARCHIVED", label: words.archived },
      ]}
      onChange={(next) =>
        void navigate({ to: ".", search: (before: Record<string, unknown>) => ({ ...before, archived: next === "ARCHIVED" ? "yes" : undefined }), replace: true })
      }
    />
  );
}
