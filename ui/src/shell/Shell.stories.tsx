import { useEffect, type ReactNode } from "react";
import { ChunkFailed } from "../api/chunks";
import { SESSION_KEY, type Session } from "../api/session";
import { sessionEnded } from "../api/sessionEnd";
import { Cached } from "../gallery/Cached";
import { Followed } from "../gallery/Followed";
import { VOLUME } from "../apps/volumes/samples";
import { TENSORBOARD } from "../apps/tensorboards/samples";
import { notebookRow } from "../apps/notebooks/samples";
import { jobRow } from "../apps/training/samples";
import { KINDS } from "../kinds/generated";
import { ExpiryNotice } from "./ExpiryNotice";
import { PageFailed } from "./PageFailed";
import { Palette } from "./Palette";
import { Rail } from "./Rail";
import { SignedOutDialog } from "./SignedOutDialog";
import { TopBar } from "./TopBar";

const session = (change: Partial<Session> = {}): Session => ({
  user: "ada@example.com",
  version: "0.1.0",
  logoutUrl: "/oauth2/sign_out",
  isClusterAdmin: false, hasMachineView: false,
  memberships: [
    { namespace: "ml", role: "owner" },
    { namespace: "a-research-group-with-a-rather-long-name", role: "viewer" },
  ],
  hasWorkgroup: true,
  registrationAllowed: true,
  ...change,
});

const as = (one: Session, story: ReactNode, more: [string[], unknown][] = []) => <Cached answers={[[SESSION_KEY, one], ...more]}>{story}</Cached>;
const nothing = () => undefined;
const rail = <Rail isOpen onChosen={nothing} />;
const bar = <TopBar onMenu={nothing} onSearch={nothing} />;
const palette = <Palette isOpen onClose={nothing} />;
const FOREIGN: [string[], unknown][] = [
  [["menu"], { menuLinks: [{ text: "Feature store", link: "/feast/?ns={ns}" }], externalLinks: [{ text: "Documentation of the team", link: "https://docs.example" }] }],
  [["plugins"], { menu: [{ text: "Costs", link: "/costs/" }] }],
];
const SECTIONS: [string[], unknown][] = [
  [
    ["menu"],
    {
      menuLinks: [
        { text: "Grafana", link: "/grafana/", icon: "assessment" },
        { type: "section", text: "Data", icon: "device:storage", items: [{ text: "Feature store", link: "/feast/?ns={ns}", icon: "kubeflow:models" }, { text: "A catalogue with a rather long name", link: "/catalogue/" }] },
      ],
    },
  ],
];
const many = Array.from({ length: 200 }, (_, index) => jobRow(`bert-large-uncased-whole-word-masking-${index}`, "Running", index));

/** Ends the session as the server would. */
function Ended() {
  useEffect(() => {
    const timer = setTimeout(sessionEnded);
    return () => clearTimeout(timer);
  }, []);
  return <SignedOutDialog />;
}

export const title = "Shell";
export const stories: Record<string, () => ReactNode> = {
  rail: () => as(session(), rail),
  "rail of an administrator": () => as(session({ isClusterAdmin: true }), rail),
  "rail with pages of others": () => as(session(), rail, FOREIGN),
  "rail with sections of others": () => as(session(), rail, SECTIONS),
  "rail, loading": () => <Cached answers={[]}>{rail}</Cached>,
  "top bar": () => as(session(), bar),
  "top bar without a namespace": () => as(session({ memberships: [] }), bar),
  "top bar, loading": () => <Cached answers={[]}>{bar}</Cached>,
  palette: () =>
    as(
      session(),
      <Followed values={{ jobs: { rows: [jobRow("bert", "Running")] }, notebooks: { rows: [notebookRow("lab", "ready")] }, tensorboards: { rows: [TENSORBOARD] }, volumes: { rows: [VOLUME] } }}>{palette}</Followed>,
    ),
  "palette, actions on objects": () =>
    as(session(), <Followed values={{ jobs: { rows: [jobRow("bert", "Running"), jobRow("bert-large", "Succeeded")] }, notebooks: { rows: [notebookRow("lab", "ready")] } }}><Palette isOpen onClose={nothing} initialQuery="bert" /></Followed>),
  "palette, kinds and namespaces": () => as(session(), <Palette isOpen onClose={nothing} initialQuery="po" />, [...FOREIGN, [["resources"], Object.values(KINDS)]]),
  "palette, many objects": () => as(session({ isClusterAdmin: true }), <Followed values={{ jobs: { rows: many } }}>{palette}</Followed>),
  "palette of a viewer": () => as(session(), palette, [[["rights", "ml"], { status: { resourceRules: [{ verbs: ["get", "list", "watch"], apiGroups: ["*"], resources: ["*"] }] } }]]),
  "palette, objects loading": () => as(session(), palette),
  "session ends soon": () => as(session(), <ExpiryNotice />, [[["account", "session"], { session: { expiresIn: 540 } }]]),
  "session has ended": () => as(session(), <Ended />),
  "page that could not be loaded": () => <PageFailed error={new ChunkFailed("Failed to fetch dynamically imported module: /assets/Home.js")} />,
  "page that cannot be shown": () => <PageFailed error={new TypeError("Cannot read properties of undefined (reading 'rows')")} />,
};
