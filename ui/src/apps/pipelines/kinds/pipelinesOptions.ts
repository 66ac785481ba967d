/** How a run is carried out: `plugins_input.windlass` of a run or recurring run. Pure. */

/** As the API has them; what is left out is the default. */
export interface PluginsInput {
  windlass?: { caching?: boolean; max_cache_staleness?: string; fail_fast?: boolean };
}

export interface RunOptions {
  caching: boolean;
  /** A duration such as `P7D`; empty for any age. */
  maxStaleness: string;
  failFast: boolean;
}

export const INITIAL_OPTIONS: RunOptions = { caching: true, maxStaleness: "", failFast: true };

/** Options as the form edits them. */
export function runOptions(plugins: PluginsInput | undefined): RunOptions {
  const given = plugins?.windlass;
  return { caching: given?.caching ?? true, maxStaleness: given?.max_cache_staleness ?? "", failFast: given?.fail_fast ?? true };
}

/** The part of a body that has what differs from the default. An age is of no use without the cache. */
export function pluginsOf({ caching, maxStaleness, failFast }: RunOptions): { plugins_input?: PluginsInput } {
  const age = maxStaleness.trim();
  const windlass = {
    ...(failFast ? {} : { fail_fast: false }),
    ...(caching ? {} : { caching: false }),
    ...(caching && age !== "" ? { max_cache_staleness: age } : {}),
  };
  return Object.keys(windlass).length === 0 ? {} : { plugins_input: { windlass } };
}

const DURATION = /^P(?=.)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?$/;

/** Empty, or a duration of ISO 8601. The server decides; this catches slips. */
export const isStaleness = (text: string): boolean => text.trim() === "" || DURATION.test(text.trim());
