import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { messageOf } from "../../../../api/errors";
import { KEYS, uploadFile, uploadUrl } from "../../api/pipelines";
import { PATHS } from "../../kinds/pipelines";
import { useToast } from "../../../../parts/overlay/toasts";
import { useWords } from "../../../../words";

export type UploadSource = "file" | "url";

interface UploadState {
  source: UploadSource;
  file: File | undefined;
  url: string;
  name: string;
  description: string;
  visibility: "private" | "shared";
}

const MAX_BYTES = 32 * 2 ** 20;

/** The state of the form of an upload: what is wrong with it, and what the server says. */
export function useUpload(pipeline: string, namespace: string) {
  const words = useWords().pipelines.uploading;
  const navigate = useNavigate();
  const toast = useToast();
  const queries = useQueryClient();
  const [form, setForm] = useState<UploadState>({ source: "file", file: undefined, url: "", name: "", description: "", visibility: "private" });
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const change = (changed: Partial<UploadState>) => {
    setForm((before) => ({ ...before, ...changed }));
    setRefusal(undefined);
  };
  const problem = (): string | undefined => {
    if (form.source === "url") return form.url === "" ? words.noUrl : undefined;
    if (form.file === undefined) return words.noFile;
    return form.file.size > MAX_BYTES ? words.tooLarge : undefined;
  };
  const submit = () => {
    const wrong = problem();
    setRefusal(wrong);
    if (wrong !== undefined || busy) return;
    setBusy(true);
    const file = form.file;
    const name = form.name.trim() || (form.source === "file" ? (file?.name ?? "") : (form.url.split("/").at(-1) ?? "")).replace(/\.(ya?ml|json|zip|tar\.gz|tgz)$/i, "");
    const wanted = { name, description: form.description, namespace: form.visibility === "shared" ? "" : namespace, pipeline };
    (form.source === "file" && file !== undefined ? uploadFile(file, wanted) : uploadUrl(form.url, wanted))
      .then((id) => {
        toast({ text: words.done(name) });
        void queries.invalidateQueries({ queryKey: KEYS.pipelines });
        void queries.invalidateQueries({ queryKey: KEYS.versions(id) });
        void navigate({ to: PATHS.pipeline(id) });
      })
      .catch((error: unknown) => setRefusal(messageOf(error)))
      .finally(() => setBusy(false));
  };
  return { form, change, busy, refusal, submit };
}
