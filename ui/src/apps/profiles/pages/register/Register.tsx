import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { createProfile, isNamespaceName, suggestedNamespace } from "../../api/people";
import { SESSION_KEY, sessionWhere, useSession, type Session } from "../../../../api/session";
import { Button } from "../../../../parts/button/Button";
import { Card } from "../../../../parts/card/Card";
import { Skeleton } from "../../../../parts/feedback/Skeleton";
import { TextInput } from "../../../../parts/field/TextInput";
import { useAction } from "../../../../parts/overlay/useAction";
import { Page, Stack } from "../../../../parts/page/Page";
import { useWords } from "../../../../words";
import { AskForNamespace } from "./AskForNamespace";

/** A new user's own namespace, in one step; whom to ask where only administrators make them. */
export function Register() {
  const { data: session } = useSession();
  const words = useWords().people;
  if (session === undefined) return <Skeleton />;
  if (session.registrationAllowed || session.isClusterAdmin) return <RegisterForm session={session} />;
  return (
    <Page title={words.registerTitle}>
      <AskForNamespace user={session.user} />
    </Page>
  );
}

function RegisterForm({ session }: { session: Session }) {
  const words = useWords().people;
  const [name, setName] = useState(() => suggestedNamespace(session.user));
  const { busy, run } = useAction();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const isGood = isNamespaceName(name);
  const finish = async () => {
    const made = await run(async () => {
      await createProfile(name);
      await sessionWhere((known) => known.memberships.some((one) => one.namespace === name));
      await queries.invalidateQueries({ queryKey: SESSION_KEY });
    }, words.registerDone(name));
    if (made) await navigate({ to: "/", search: { ns: name } });
  };
  return (
    <Page title={words.registerTitle} sentence={words.registerText}>
      <Card>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (isGood) void finish();
          }}
        >
          <Stack>
            <TextInput
              label={words.registerName}
              value={name}
              onChange={setName}
              hint={words.registerHint}
              error={isGood ? undefined : words.registerBad}
              autoFocus
            />
            <div>
              <Button label={words.registerFinish} look="primary" type="submit" busy={busy} />
            </div>
          </Stack>
        </form>
      </Card>
    </Page>
  );
}
