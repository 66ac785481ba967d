import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { fetchSession } from "../api/session";
import { onSessionEnd } from "../api/sessionEnd";
import { Button } from "../parts/button/Button";
import { DialogBox } from "../parts/overlay/DialogBox";
import { useWords } from "../words";
import { openSignIn } from "./signIn";

const CHECK_MS = 1_000;

/** When the session has ended: sign in again in a small window, so that nothing that was typed is lost. */
export function SignedOutDialog() {
  const words = useWords().shell;
  const [ended, setEnded] = useState(false);
  const [waiting, setWaiting] = useState(false);
  const queries = useQueryClient();
  useEffect(() => onSessionEnd(() => setEnded(true)), []);
  useEffect(() => {
    if (!waiting) return;
    const timer = setInterval(() => {
      fetchSession().then(
        () => {
          setEnded(false);
          setWaiting(false);
          void queries.invalidateQueries();
        },
        () => undefined,
      );
    }, CHECK_MS);
    return () => clearInterval(timer);
  }, [waiting, queries]);
  return (
    <DialogBox
      title={words.signedOutTitle}
      isOpen={ended}
      onClose={() => setEnded(false)}
      actions={
        <Button
          look="primary"
          label={words.signIn}
          busy={waiting}
          onPress={() => {
            openSignIn();
            setWaiting(true);
          }}
        />
      }
    >
      <p>{words.signedOutText}</p>
    </DialogBox>
  );
}
