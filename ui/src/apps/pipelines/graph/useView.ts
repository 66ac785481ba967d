import { useReactFlow, useStoreApi } from "@xyflow/react";
import { useEffect, useRef, type RefObject } from "react";
import type { PlacedGraph } from "./layout";
import { centredView, firstView, isInSight, resizedView } from "./viewport";

interface Viewed {
  place: RefObject<HTMLDivElement | null>;
  /** What the graph is about: another one is looked at from its beginning. */
  pipeline: string;
  placed: PlacedGraph | undefined;
  chosen: string | undefined;
}

/** Keeps the window of a graph where one wants to look: at first, when its size changes, and when the keyboard reaches a node outside of it. */
export function useView({ place, pipeline, placed, chosen }: Viewed): void {
  const flow = useReactFlow();
  const latest = useRef({ placed, chosen });
  latest.current = { placed, chosen };
  const isKnown = placed !== undefined;
  useEffect(() => {
    const element = place.current;
    if (element === null || !isKnown) return;
    let before: { width: number; height: number } | undefined;
    const show = () => {
      const { placed: graph, chosen: id } = latest.current;
      const size = { width: element.clientWidth, height: element.clientHeight };
      if (graph === undefined) return;
      const node = graph.nodes.find((one) => one.id === id);
      const first = before === undefined ? firstView(graph, size) : undefined;
      void flow.setViewport(first === undefined ? resizedView(flow.getViewport(), before ?? size, size, node) : node && !isInSight(node, first, size) ? centredView(node, first.zoom, size) : first);
      before = size;
    };
    const observer = new ResizeObserver(show);
    observer.observe(element);
    return () => observer.disconnect();
  }, [place, flow, pipeline, isKnown]);
  useFocusInSight(place, latest);
  useSharpZoom(place);
}

/** A node that gets the focus by the keyboard is moved into the window. */
function useFocusInSight(place: Viewed["place"], latest: RefObject<{ placed: PlacedGraph | undefined }>): void {
  const flow = useReactFlow();
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const follow = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement) || !target.matches(":focus-visible")) return;
      const id = target.closest<HTMLElement>("[data-node]")?.dataset["node"];
      const node = latest.current.placed?.nodes.find((one) => one.id === id);
      const size = { width: element.clientWidth, height: element.clientHeight };
      const view = flow.getViewport();
      if (node !== undefined && node.kind !== "box" && !isInSight(node, view, size)) void flow.setViewport(centredView(node, view.zoom, size));
    };
    element.addEventListener("focusin", follow);
    return () => element.removeEventListener("focusin", follow);
  }, [place, flow, latest]);
}

const SETTLED_MS = 150;

/** The graph is a layer of its own, which a browser moves without drawing it. After a zoom it is drawn again, or text would stay blurred. */
function useSharpZoom(place: Viewed["place"]): void {
  const store = useStoreApi();
  useEffect(() => {
    let zoom = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const redraw = () => {
      const layer = place.current?.querySelector<HTMLElement>(".react-flow__viewport");
      if (!layer) return;
      layer.style.willChange = "auto";
      requestAnimationFrame(() => requestAnimationFrame(() => layer.style.removeProperty("will-change")));
    };
    const stop = store.subscribe(({ transform }) => {
      if (transform[2] === zoom) return;
      zoom = transform[2];
      clearTimeout(timer);
      timer = setTimeout(redraw, SETTLED_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [place, store]);
}
