import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Look } from "./FormAndYaml";

/** Which of form and YAML is shown; it is in the address (`?as=yaml`). */
export function useLook(): [look: Look, setLook: (look: Look) => void] {
  const search: { as?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const setLook = (look: Look) =>
    void navigate({ to: ".", search: (before: Record<string, unknown>) => ({ ...before, as: look === "form" ? undefined : look }), replace: true } as never);
  return [search.as === "yaml" ? "yaml" : "form", setLook];
}
