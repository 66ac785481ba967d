/** Notebooks on the home page. */
import { phaseState } from "../../kinds/states";
import type { AppHome } from "../app";
import { RecentFiles } from "./pages/RecentFiles";
import { NEW_NOTEBOOK } from "./search";

export const NOTEBOOKS_HOME: AppHome = {
  creation: NEW_NOTEBOOK,
  isPrimary: true,
  runningIn: ({ notebooks }) =>
    notebooks.map(({ uid, namespace, name, shortImage, status: { phase }, link }) => ({
      id: uid,
      to: `/jupyter/notebook/details/${namespace}/${name}`,
      name,
      detail: `Notebook · ${shortImage}`,
      state: phaseState(phase),
      ...(phase === "ready" ? { connect: link } : {}),
    })),
  narrow: [RecentFiles],
};
