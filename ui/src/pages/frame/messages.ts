/** Whether a message comes from the framed app itself, and from this origin: every page that has a handle on the window can send some. */
export function isFromFrame(event: Pick<MessageEvent, "origin" | "source">, frame: Window | null | undefined, origin: string): boolean {
  return event.origin === origin && event.source !== null && event.source === frame;
}
