/** Calls that come often become few. Pure but for its timer. */

export interface Throttled {
  call: () => void;
  /** Carries out at once what is still to come. */
  flush: () => void;
}

/** Runs `action` at most every `everyMs`; a call is never lost, and later calls do not postpone it. */
export function throttled(action: () => void, everyMs: number): Throttled {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = () => {
    timer = undefined;
    action();
  };
  return {
    call: () => {
      timer ??= setTimeout(run, everyMs);
    },
    flush: () => {
      if (timer === undefined) return;
      clearTimeout(timer);
      run();
    },
  };
}
