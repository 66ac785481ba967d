/** Registration on the home page. */
import type { AppHome } from "../app";
import { WithoutNamespace } from "./pages/register/WithoutNamespace";

export const PROFILES_HOME: AppHome = { WithoutNamespace };
