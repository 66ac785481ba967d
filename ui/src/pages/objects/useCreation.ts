import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError, messageOf, type FieldCause } from "../../api/errors";
import { createObject, type Resource } from "../../api/k8s";
import { namespaceOf, type ManifestObject } from "../../kinds/manifest";
import { useToast } from "../../parts/overlay/toasts";
import { useWords } from "../../words";

export interface Refusal {
  message: string;
  /** What the server says about fields. */
  problems: FieldCause[];
}

export interface Creation {
  busy: boolean;
  refusal: Refusal | undefined;
  forget: () => void;
  create: (objects: ManifestObject[]) => void;
}

interface Made {
  /** What is said when it was created. */
  said: (name: string) => string;
  /** The page to go to. */
  pageOf: (key: { namespace: string; name: string }) => string;
}

export const NO_PROBLEMS: FieldCause[] = [];

/** Asks the server whether it would take the object, then creates it and goes to its page. */
export function useCreation(resource: Resource, namespace: string, { said, pageOf }: Made): Creation {
  const { cluster } = useWords();
  const toast = useToast();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const create = async (objects: ManifestObject[]) => {
    const [object] = objects;
    setBusy(true);
    try {
      if (object?.["kind"] !== resource.kind) throw new Error(cluster.namesAnother(resource.kind));
      const target = namespaceOf(object, namespace);
      await createObject(resource, target, object, true);
      const { metadata } = await createObject(resource, target, object);
      toast({ text: said(metadata.name) });
      await navigate({ to: pageOf({ namespace: metadata.namespace ?? "", name: metadata.name }) });
    } catch (error) {
      setRefusal({ message: messageOf(error), problems: error instanceof ApiError ? error.causes : NO_PROBLEMS });
    } finally {
      setBusy(false);
    }
  };
  return { busy, refusal, forget: () => setRefusal(undefined), create: (objects) => void create(objects) };
}
