import type { ReactNode } from "react";
import { SESSION_KEY } from "../../../../api/session";
import { Cached } from "../../../../gallery/Cached";
import { ago } from "../../../../gallery/samples";
import { People } from "./People";

const session = (isClusterAdmin: boolean, namespaces: string[]) => ({
  user: "ada@example.com",
  version: "0.1.0",
  logoutUrl: "/oauth2/sign_out",
  isClusterAdmin,
  hasMachineView: false,
  memberships: namespaces.map((namespace, index) => ({ namespace, role: index === 0 ? "owner" : "contributor" })),
  hasWorkgroup: namespaces.length > 0,
  registrationAllowed: true,
});

export const title = "Contributors page";
export const stories: Record<string, () => ReactNode> = {
  usual: () => (
    <Cached
      answers={[
        [SESSION_KEY, session(false, ["ml", "vision"])],
        [["contributors", "ml"], [{ user: "bob@example.com", role: "edit" }, { user: "a.person.with.a.rather.long.address@research.example.com", role: "view" }]],
        [["recycle-bin"], [{ namespace: "old", deletedAt: ago(7_200) }]],
      ]}
    >
      <People />
    </Cached>
  ),
  "no namespace": () => (
    <Cached answers={[[SESSION_KEY, session(false, [])], [["recycle-bin"], []]]}>
      <People />
    </Cached>
  ),
  administrator: () => (
    <Cached
      answers={[
        [SESSION_KEY, session(true, ["ml"])],
        [["contributors", "ml"], []],
        [["recycle-bin"], []],
        [["profiles"], Array.from({ length: 500 }, (_, index) => [`team-${index}`, `owner-${index}@example.com`, "bob@example.com"])],
      ]}
    >
      <People />
    </Cached>
  ),
  failed: () => (
    <Cached answers={[[SESSION_KEY, session(false, ["ml"])], [["recycle-bin"], []]]} refusals={[[["contributors", "ml"], "The gateway does not answer."]]}>
      <People />
    </Cached>
  ),
  "many contributors": () => (
    <Cached
      answers={[
        [SESSION_KEY, session(false, Array.from({ length: 12 }, (_, index) => (index === 0 ? "ml" : `team-${index}`)))],
        [["contributors", "ml"], Array.from({ length: 40 }, (_, index) => ({ user: `person-${index}@example.com`, role: index % 3 === 0 ? "view" : "edit" }))],
        [["recycle-bin"], []],
      ]}
    >
      <People />
    </Cached>
  ),
  loading: () => (
    <Cached answers={[]}>
      <People />
    </Cached>
  ),
};
