/** The scheduler's forecast for an object that does not exist yet. */
import type { ForecastView } from "../kinds/generated";
import { post } from "./client";

/** Whether something would start now, by the scheduler's own rules. */
export const forecast = (namespace: string, manifest: unknown): Promise<ForecastView> => post("/api/forecast", { manifest, namespace });
