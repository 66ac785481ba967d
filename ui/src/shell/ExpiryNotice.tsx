import { useQueryClient } from "@tanstack/react-query";
import { useSessionLife } from "../api/account";
import { Button } from "../parts/button/Button";
import { Icon } from "../parts/Icon";
import { useWords } from "../words";
import { openSignIn } from "./signIn";
import styles from "./Shell.module.css";

const WARN_SECONDS = 15 * 60;

/** Shortly before a session ends: a way to sign in again without leaving the page. */
export function ExpiryNotice() {
  const words = useWords().shell;
  const seconds = useSessionLife();
  const queries = useQueryClient();
  if (seconds === undefined || seconds > WARN_SECONDS) return null;
  return (
    <div className={styles.notice} role="status">
      <Icon name="clock" />
      <span>{words.expiresSoon(Math.max(1, Math.round(seconds / 60)))}</span>
      <Button
        small
        label={words.stayIn}
        onPress={() => {
          openSignIn();
          window.addEventListener("focus", () => void queries.invalidateQueries({ queryKey: ["account", "session"] }), { once: true });
        }}
      />
    </div>
  );
}
