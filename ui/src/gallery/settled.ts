/** Tests ask here whether a story is drawn as it will stay. */
const QUIET_MS = 40;
/** Dialogs are drawn beside the story. */
const DRAWN = "[data-story] > *, [role=dialog]";
const LONGEST_MS = 2_000;

/** Ends when something is shown and nothing has changed for a moment. */
export function settled(): Promise<void> {
  const started = performance.now();
  let changed = started;
  const observer = new MutationObserver(() => {
    changed = performance.now();
  });
  observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  return new Promise((resolve) => {
    const look = () => {
      const now = performance.now();
      const isDrawn = now - changed >= QUIET_MS && document.querySelector(DRAWN) !== null;
      if (!isDrawn && now - started < LONGEST_MS) {
        requestAnimationFrame(look);
        return;
      }
      observer.disconnect();
      resolve();
    };
    requestAnimationFrame(look);
  });
}

/** Ends when what has changed is on the screen. */
export const painted = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
