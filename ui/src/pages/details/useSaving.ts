import { useState } from "react";
import { parse } from "yaml";
import { ApiError, messageOf } from "../../api/errors";
import { getObject, replaceObject, type ObjectKey, type Resource } from "../../api/k8s";
import { useToast } from "../../parts/overlay/toasts";
import type { FieldProblem } from "../../parts/yaml/positions";
import { useWords } from "../../words";
import { clashesOf, rebase } from "./rebase";

/** An object that is being edited as text. */
export interface Draft {
  text: string;
  /** The object as it was when the first key was pressed. */
  base: unknown;
}

const MOST_TRIES = 3;

/** Replaces the newest object that is known by the edited one; by a newer one where that was changed elsewhere meanwhile. */
export async function replaceEdited(resource: Resource, key: ObjectKey, base: unknown, mine: unknown, newest: unknown, tries = MOST_TRIES): Promise<void> {
  try {
    await replaceObject(resource, key, rebase(base, mine, newest));
  } catch (error) {
    if (!isConflict(error) || tries === 1) throw error;
    const newer = await getObject(resource, key);
    if (clashesOf(base, mine, newer).length > 0) throw error;
    await replaceEdited(resource, key, base, mine, newer, tries - 1);
  }
}

const isConflict = (error: unknown): boolean => error instanceof ApiError && error.reason === "Conflict";

interface Saving {
  busy: boolean;
  refusal: { message: string; problems: FieldProblem[] } | undefined;
  forget: () => void;
  save: (draft: Draft, newest: unknown) => void;
}

/** Saves an edited object as a whole; a refusal is shown with the server's reason. */
export function useSaving(resource: Resource, key: ObjectKey, onSaved: () => void): Saving {
  const words = useWords().viewers.yaml;
  const toast = useToast();
  const [refusal, setRefusal] = useState<Saving["refusal"]>();
  const [busy, setBusy] = useState(false);
  const save = ({ text, base }: Draft, newest: unknown) => {
    setBusy(true);
    // Reading the text may fail too, which is shown in the same place.
    Promise.resolve()
      .then(() => replaceEdited(resource, key, base, parse(text), newest))
      .then(() => {
        onSaved();
        setRefusal(undefined);
        toast({ text: words.saved(key.name) });
      })
      .catch((error: unknown) =>
        setRefusal({ message: isConflict(error) ? words.conflict(key.name) : messageOf(error), problems: error instanceof ApiError ? error.causes : [] }),
      )
      .finally(() => setBusy(false));
  };
  return { busy, refusal, forget: () => setRefusal(undefined), save };
}
