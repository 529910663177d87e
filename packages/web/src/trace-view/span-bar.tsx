import { useMemo } from "react";
import { kindColour } from "../spans/span-badges.tsx";
import type { PathSection } from "./critical-path.ts";
import { type Interval, ownIntervals, placeOn } from "./span-times.ts";
import { childrenOf, hasChildren, type SpanNode, type SpanTree } from "./span-tree.ts";

/** More pieces would not be distinguishable, and slow the page down. */
const MAX_PIECES = 60;

interface SpanBarProps {
  readonly node: SpanNode;
  readonly tree: SpanTree;
  readonly axis: Interval;
  /** Its sections of the critical path. */
  readonly sections?: readonly PathSection[] | undefined;
}

/** The bar of a span: solid for its own time, pale while its children ran. */
export function SpanBar({ node, tree, axis, sections = [] }: SpanBarProps) {
  const own = useMemo(
    () => (hasChildren(node) ? ownIntervals(node, [...childrenOf(tree, node)]) : [node]),
    [tree, node],
  );
  const place = placeOn(axis, node);
  if (place === null) return null;
  const colour = node.span.status === "ERROR" ? "var(--danger)" : kindColour(node.span.spankind);
  const isRunning = node.span.metadata.end_time === null;
  return (
    <div className="relative h-full overflow-hidden" aria-hidden>
      <Piece place={place} colour={`color-mix(in srgb, ${colour} 30%, transparent)`} look="bar" />
      {pieces(axis, own).map((piece) => (
        <Piece key={piece.left} place={piece} colour={colour} look="bar" />
      ))}
      {pieces(axis, sections).map((piece) => (
        <Piece key={piece.left} place={piece} colour="var(--ink)" look="path" />
      ))}
      {isRunning && (
        <span
          className="absolute top-1/2 -translate-y-1/2 pl-2 text-xs text-ink-soft italic"
          style={{ left: percent(place.left) }}
        >
          not ended
        </span>
      )}
    </div>
  );
}

interface Place {
  readonly left: number;
  readonly width: number;
}

function Piece({
  place,
  colour,
  look,
}: {
  readonly place: Place;
  readonly colour: string;
  readonly look: "bar" | "path";
}) {
  return (
    <span
      className={
        look === "bar"
          ? "absolute forced-color-adjust-none top-[9px] h-3 min-w-[2px] rounded-[2px]"
          : "absolute forced-color-adjust-none bottom-[4px] h-[3px] min-w-[2px]"
      }
      style={{
        // A bar at the very end stays visible: it is at least two pixels wide.
        left: `min(${percent(place.left)}, 100% - 2px)`,
        width: percent(place.width),
        background: colour,
      }}
    />
  );
}

function pieces(axis: Interval, intervals: readonly Interval[]): readonly Place[] {
  const longest =
    intervals.length > MAX_PIECES
      ? [...intervals].sort((a, b) => b.end - b.start - (a.end - a.start)).slice(0, MAX_PIECES)
      : intervals;
  return longest.flatMap((interval) => placeOn(axis, interval) ?? []);
}

function percent(part: number): string {
  return `${part * 100}%`;
}
