/** Which part of a graph is shown first. Pure. */
import type { PlacedGraph, PlacedNode } from "./layout";

/** The smallest zoom at which names are read: on a narrow screen, moving the graph is easier than reading small text. */
const readable = (width: number): number => (width < 560 ? 0.75 : 0.55);
const MARGIN = 24;

interface Size {
  width: number;
  height: number;
}

/** All of it where that stays readable; else the step that runs or has failed, or the beginning. */
export function firstView(graph: PlacedGraph, place: Size): { x: number; y: number; zoom: number } {
  const fitting = Math.min((place.width - 2 * MARGIN) / Math.max(1, graph.width), (place.height - 2 * MARGIN) / Math.max(1, graph.height));
  const zoom = Math.min(1, Math.max(readable(place.width), fitting));
  const focus = focusOf(graph.nodes);
  const along = (size: number, room: number, middle: number | undefined): number => {
    if (size * zoom <= room - 2 * MARGIN) return (room - size * zoom) / 2;
    const wanted = middle === undefined ? MARGIN : room / 2 - middle * zoom;
    return Math.min(MARGIN, Math.max(room - MARGIN - size * zoom, wanted));
  };
  return {
    zoom,
    // Without a step to look at, the first ones are in the middle of the width.
    x: along(graph.width, place.width, focus === undefined ? graph.width / 2 : focus.x + focus.width / 2),
    y: along(graph.height, place.height, focus === undefined ? undefined : focus.y + focus.height / 2),
  };
}

function focusOf(nodes: PlacedNode[]): PlacedNode | undefined {
  const steps = nodes.filter((one) => one.kind === "step");
  return steps.find((one) => one.node.state === "failed") ?? steps.find((one) => one.node.state === "running");
}
