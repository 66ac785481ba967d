import type { ReactNode } from "react";
import { SESSION_KEY, type Session } from "../../../../api/session";
import { Cached } from "../../../../gallery/Cached";
import { Register } from "./Register";

const NEWCOMER: Session = { user: "Carol.B_c@example.com", version: "0.1.0", logoutUrl: "/", isClusterAdmin: false, hasMachineView: false, memberships: [], hasWorkgroup: false, registrationAllowed: true };
const seenBy = (session: Session) => (
  <Cached answers={[[SESSION_KEY, session]]}>
    <Register />
  </Cached>
);

export const title = "Registration page";
export const stories: Record<string, () => ReactNode> = {
  usual: () => seenBy(NEWCOMER),
  "registration is off": () => seenBy({ ...NEWCOMER, registrationAllowed: false }),
  "registration is off, for an administrator": () => seenBy({ ...NEWCOMER, registrationAllowed: false, isClusterAdmin: true }),
};
