import type { ReactNode } from "react";
import { SESSIONS_KEY, TOKENS_KEY } from "../../api/account";
import { Cached } from "../../gallery/Cached";
import { ago } from "../../gallery/samples";
import { Account } from "./Account";

export const title = "Account page";
export const stories: Record<string, () => ReactNode> = {
  usual: () => (
    <Cached
      answers={[
        [
          SESSIONS_KEY,
          [
            { id: "1", current: true, created: ago(9_000), lastUsed: ago(2), expires: ago(-90_000) },
            { id: "2", current: false, created: ago(99_000), lastUsed: ago(9_000), expires: ago(-9_000) },
          ],
        ],
        [TOKENS_KEY, [{ name: "vscode", created: ago(99_000), expires: ago(-9_000_000), scopes: [] }]],
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
