/**
 * Loads parts of the program again whose loading was broken off.
 *
 * Chromium ends all requests when a network interface comes or goes (ERR_NETWORK_CHANGED), as it does whenever a pod
 * starts on the same machine; a laptop that changes its network does the same.
 */

type Load<T> = () => Promise<T>;

const PAUSES_MS = [200, 1_000, 3_000];
const MODULE_ADDRESS = /(https?:\/\/\S+\.js)(?:\?\S*)?$/;
const STYLE_ADDRESS = /Unable to preload CSS for (\S+)/;

/** A part of the program that could not be loaded, however often it was tried. */
export class ChunkFailed extends Error {
  override name = "ChunkFailed";
}

/** The same, but tried again after growing pauses; rejects with ChunkFailed in the end. */
export function retrying<T>(load: Load<T>, pausesMs: number[] = PAUSES_MS): Load<T> {
  return async () => {
    let again: Load<T> = load;
    for (const [tries, pauseMs] of pausesMs.entries()) {
      try {
        return await again();
      } catch (error) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        again = () => repaired(load, messageOf(error), tries + 1);
      }
    }
    try {
      return await again();
    } catch (error) {
      throw new ChunkFailed(messageOf(error));
    }
  };
}

/** A browser may remember that a module could not be loaded, and Vite that it asked for a style sheet: neither asks again by itself. */
async function repaired<T>(load: Load<T>, message: string, tries: number): Promise<T> {
  const style = STYLE_ADDRESS.exec(message)?.[1];
  if (style !== undefined) await addStyleSheet(style);
  try {
    return await load();
  } catch (error) {
    const address = MODULE_ADDRESS.exec(messageOf(error))?.[1];
    if (address === undefined || new URL(address).origin !== location.origin) throw error;
    return (await import(/* @vite-ignore */ `${address}?again=${tries}`)) as T;
  }
}

function addStyleSheet(href: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = href;
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject(new Error(`Unable to preload CSS for ${href}`));
    };
    document.head.append(link);
  });
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
