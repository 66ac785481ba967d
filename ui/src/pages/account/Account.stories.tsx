import type { ReactNode } from "react";
import { SESSIONS_KEY, TOKENS_KEY } from "../../api/account";
import { Cached } from "../../gallery/Cached";
import { ago } from "../../gallery/samples";
import { Account } from "./Account";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const session = (index: number) => ({ id: String(index), current: index === 0, address: `10.0.0.${index + 7}`, userAgent: FIREFOX, created: ago(9_000), lastUsed: ago(2 + index * 9_000), expires: ago(-90_000) });

export const title = "Account page";
export const stories: Record<string, () => ReactNode> = {
  usual: () => (
    <Cached
      answers={[
        [
          SESSIONS_KEY,
          [
            session(0),
            session(1),
          ],
        ],
        [TOKENS_KEY, [{ name: "vscode", created: ago(99_000), expires: ago(-9_000_000), scopes: [] }]],
      ]}
    >
      <Account />
    </Cached>
  ),
  "no tokens": () => (
    <Cached answers={[[SESSIONS_KEY, [session(0)]], [TOKENS_KEY, []]]}>
      <Account />
    </Cached>
  ),
  "many tokens and sessions": () => (
    <Cached
      answers={[
        [SESSIONS_KEY, Array.from({ length: 40 }, (_, index) => session(index))],
        [TOKENS_KEY, Array.from({ length: 120 }, (_, index) => ({ name: `script-${index}`, created: ago(index * 9_000), expires: ago(-9_000_000), scopes: [] }))],
      ]}
    >
      <Account />
    </Cached>
  ),
  failed: () => (
    <Cached
      refusals={[
        [SESSIONS_KEY, "The gateway does not answer."],
        [TOKENS_KEY, "The gateway does not answer."],
      ]}
    >
      <Account />
    </Cached>
  ),
  loading: () => (
    <Cached answers={[]}>
      <Account />
    </Cached>
  ),
};
