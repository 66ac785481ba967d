/** The apps, for pages that are loaded later: they would pull the whole list out of the first chunk by importing it. */
import { createContext, useContext } from "react";
import type { App } from "./app";

export const AppsContext = createContext<readonly App[]>([]);

export const useApps = (): readonly App[] => useContext(AppsContext);
