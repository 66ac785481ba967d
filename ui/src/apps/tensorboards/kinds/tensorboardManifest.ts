/** A new TensorBoard as a form and as an object. Pure. */
import { assign, dig, recordOf, textOf, within, type ManifestObject } from "../../../kinds/manifest";
import { TENSORBOARDS, boardManifest, logspathOf, type BoardForm } from "./tensorboards";

const CLAIM = "pvc://";

export const initialBoard: BoardForm = { name: "", storage: "pvc", claim: "", path: "", link: "", configurations: [] };

const isBoard = (object: ManifestObject): boolean => object["kind"] === TENSORBOARDS.kind;

export const boardObjects = (form: BoardForm): ManifestObject[] => [boardManifest(form)];

/** `labels` are those of the namespace's PodDefaults: other labels are not configurations. */
export function readBoard(objects: ManifestObject[], before: BoardForm, labels: string[]): BoardForm {
  const board = objects.find(isBoard);
  if (board === undefined) return before;
  const own = recordOf(dig(board, "metadata", "labels"));
  return {
    ...before,
    name: textOf(dig(board, "metadata", "name")),
    configurations: [...new Set([...before.configurations, ...labels])].filter((label) => own[label] === "true"),
    ...placeOf(textOf(dig(board, "spec", "logspath"))),
  };
}

function placeOf(logspath: string): Partial<BoardForm> {
  if (!logspath.startsWith(CLAIM)) return { storage: "store", link: logspath };
  const [claim = "", ...folders] = logspath.slice(CLAIM.length).split("/");
  return { storage: "pvc", claim, path: folders.join("/") };
}

export function writeBoard(objects: ManifestObject[], before: BoardForm, after: BoardForm): ManifestObject[] {
  const copies = structuredClone(objects);
  const board = copies.find(isBoard);
  if (board === undefined) return objects;
  if (after.name !== before.name) within(board, "metadata")["name"] = after.name;
  if (logspathOf(after) !== logspathOf(before)) within(board, "spec")["logspath"] = logspathOf(after);
  const gone = before.configurations.filter((label) => !after.configurations.includes(label));
  const added = after.configurations.filter((label) => !before.configurations.includes(label));
  if (gone.length + added.length > 0) {
    const labels = within(board, "metadata", "labels");
    for (const label of gone) assign(labels, label, undefined);
    for (const label of added) labels[label] = "true";
  }
  return copies;
}

export const boardLens = (labels: string[]) => ({
  read: (objects: ManifestObject[], before: BoardForm): BoardForm => readBoard(objects, before, labels),
  write: writeBoard,
});
