import { useCallback, useMemo, useState } from "react";
import type { ManifestObject } from "../../kinds/manifest";
import type { Manifest } from "./useManifest";

/** How a form is read from objects and written into them. Pure. */
export interface Lens<F> {
  /** `before` says what objects leave open, such as a choice that is not made now. */
  read: (objects: ManifestObject[], before: F) => F;
  /** Changes only what `after` has otherwise than `before`. */
  write: (objects: ManifestObject[], before: F, after: F) => ManifestObject[];
}

export interface ManifestForm<F> {
  form: F;
  change: (changed: Partial<F>) => void;
}

/**
 * A form and a manifest that say the same. As long as the text is what the form has written, the form is what was typed,
 * half a number too; a text that was edited otherwise is read.
 */
export function useManifestForm<F extends object>(manifest: Manifest, lens: Lens<F>, initial: F): ManifestForm<F> {
  const { understood, objects, setObjects } = manifest;
  const [typed, setTyped] = useState({ form: initial, text: understood });
  const form = useMemo(() => (typed.text === understood ? typed.form : lens.read(objects, typed.form)), [typed, understood, objects, lens]);
  const change = useCallback(
    (changed: Partial<F>) => {
      const after = { ...form, ...changed };
      setTyped({ form: after, text: setObjects(lens.write(objects, form, after)) });
    },
    [form, objects, setObjects, lens],
  );
  return { form, change };
}
