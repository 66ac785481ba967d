import type { PodDefaultOption } from "../../api/notebooks";
import type { ClaimOption } from "../../../volumes/api/volumes";
import type { FormErrors, NotebookForm, SpawnerConfig } from "../../kinds/notebookForm";

/** What the form offers, besides the administrator's configuration. */
export interface Offers {
  config: SpawnerConfig;
  /** Resource names of the GPUs that nodes have. */
  vendors: string[];
  claims: ClaimOption[];
  podDefaults: PodDefaultOption[];
  /** `preset` is the default class: empty if there is none, undefined until it is known. */
  storageClasses: { names: string[]; preset: string | undefined };
}

/** What every group of fields gets. */
export interface FieldsProps {
  form: NotebookForm;
  offers: Offers;
  /** Of the fields that should show one. */
  errors: FormErrors;
  onChange: (change: Partial<NotebookForm>) => void;
}
