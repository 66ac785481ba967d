/** TensorBoards on the home page. */
import { phaseState } from "../../kinds/states";
import type { AppHome } from "../app";

export const TENSORBOARDS_HOME: AppHome = {
  runningIn: ({ tensorboards }) =>
    tensorboards.map(({ uid, namespace, name, logspath, status: { phase }, link }) => ({
      id: uid,
      to: `/tensorboards/details/${namespace}/${name}`,
      name,
      detail: `TensorBoard · ${logspath}`,
      state: phaseState(phase),
      ...(phase === "ready" ? { connect: link } : {}),
    })),
};
