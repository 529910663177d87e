import type { Score } from "@agate/protocol";
import {
  formatCompactCount,
  formatDuration,
  formatTotalCost,
  plural,
  unpricedText,
} from "@agate/protocol/format";
import { Ban, ChevronDown, ChevronRight, CircleAlert, Star, Unlink } from "lucide-react";
import type { ComponentProps } from "react";
import { memo } from "react";
import { Badge } from "../design/badge.tsx";
import { classNames } from "../design/class-names.ts";
import { scoreText } from "../spans/score-text.ts";
import { shownName } from "../spans/shown-name.ts";
import { SpanKindIcon } from "../spans/span-badges.tsx";
import { SpanBar } from "./span-bar.tsx";
import type { Interval } from "./span-times.ts";
import { hasChildren, type SpanNode, type SpanTree } from "./span-tree.ts";
import type { PathView } from "./use-tree-view.ts";

/** Deeper rows are not indented further: they show their level as a number. */
const MAX_INDENT = 8;
const INDENT = 12;

interface TreeRowProps {
  readonly id: string;
  readonly node: SpanNode;
  readonly tree: SpanTree;
  /** Its index among the visible rows. */
  readonly row: number;
  /** Pixels from the top of the rows. */
  readonly top: number;
  readonly axis: Interval;
  /** The text to highlight in the name. */
  readonly search: string;
  readonly isMatch: boolean;
  readonly isCollapsed: boolean;
  readonly isSelected: boolean;
  readonly isCursor: boolean;
  readonly isCompact: boolean;
  readonly isFresh: boolean;
  readonly path: PathView | null;
}

/** A span: its name in the tree, its figures, its bar. */
export const TreeRow = memo(function TreeRow(props: TreeRowProps) {
  const { node, tree, axis, isCompact, path } = props;
  const { span } = node;
  const { latency, total } = span.metadata;
  const isOnPath = path?.shares.has(span.id);
  return (
    <GridRow
      id={props.id}
      data-span={span.id}
      aria-rowindex={props.row + 2}
      aria-level={node.depth + 1}
      aria-posinset={node.position}
      aria-setsize={node.siblings}
      aria-expanded={hasChildren(node) ? !props.isCollapsed : undefined}
      aria-selected={props.isSelected}
      className={classNames(
        rowClass(isCompact),
        "absolute inset-x-0 top-0 cursor-pointer select-none",
        props.isSelected ? "bg-accent-soft" : props.isMatch ? "bg-warning-soft" : "hover:bg-sunken",
        props.isCursor && "in-focus-visible:outline-2 -outline-offset-2 outline-accent",
        path !== null && (isOnPath ? "font-semibold" : "text-ink-soft"),
      )}
      style={{ height: ROW_HEIGHT, transform: `translateY(${props.top}px)` }}
    >
      <NameCell {...props} />
      <Figure>{formatDuration(latency)}</Figure>
      {!isCompact && (
        <Figure isOptional>{formatCompactCount(total.usage?.total_tokens ?? null)}</Figure>
      )}
      {!isCompact && (
        <Figure isOptional title={unpricedText(total) ?? undefined}>
          {formatTotalCost(total)}
        </Figure>
      )}
      <GridCell className="h-full min-w-0">
        <SpanBar node={node} tree={tree} axis={axis} sections={path?.sectionsOf.get(span.id)} />
      </GridCell>
    </GridRow>
  );
});

/** The name at its level of the tree, with everything that marks the span. */
function NameCell({ node, tree, search, isCollapsed, isFresh, path }: TreeRowProps) {
  const { span, errorsBelow } = node;
  const isParent = hasChildren(node);
  return (
    <GridCell className="flex h-full min-w-0 items-center gap-1.5">
      <Indent depth={node.depth} />
      <Toggle isParent={isParent} isCollapsed={isCollapsed} />
      <SpanKindIcon kind={span.spankind} />
      <bdi
        className={classNames("truncate", span.status === "ERROR" && "text-danger")}
        title={span.name}
      >
        <MarkedText text={shownName(span.name)} mark={search} />
      </bdi>
      {isCollapsed && isParent && (
        <Badge>+{(node.endIndex - node.index - 1).toLocaleString("en")}</Badge>
      )}
      {isCollapsed && errorsBelow > 0 && <ErrorsBelow count={errorsBelow} />}
      {span.status === "ERROR" && (
        <CircleAlert size={14} role="img" aria-label="Error" className="shrink-0 text-danger" />
      )}
      {span.status === "UNSET" && span.metadata.cancelled && (
        <Ban size={14} role="img" aria-label="Cancelled" className="shrink-0 text-warning" />
      )}
      {span.metadata.scores !== undefined && <ScoresMark scores={span.metadata.scores} />}
      {path !== null && <PathShare node={node} tree={tree} path={path} />}
      {isFresh && <Badge tone="accent">New</Badge>}
      {node.isOrphan && (
        <span title={orphanText(node)} className="shrink-0 text-warning">
          <Unlink size={14} role="img" aria-label={orphanText(node)} />
        </span>
      )}
    </GridCell>
  );
}

function ErrorsBelow({ count }: { readonly count: number }) {
  const words = count === 1 ? "error below" : "errors below";
  return (
    <span className="shrink-0">
      <Badge tone="danger" title={`${count.toLocaleString("en")} ${words}`}>
        <CircleAlert size={12} aria-hidden />
        <span>
          {count.toLocaleString("en")}
          {/* On a narrow screen the words would push the name out. */}
          <span className="@max-[560px]:sr-only"> {words}</span>
        </span>
      </Badge>
    </span>
  );
}

/** The most scores that the tooltip of the mark names. */
const MOST_NAMED = 10;

/** Marks a span that has scores. */
function ScoresMark({ scores }: { readonly scores: readonly Score[] }) {
  const named = scores.slice(0, MOST_NAMED).map((score) => `${score.name}: ${scoreText(score)}`);
  const left = scores.length - named.length;
  const label = plural(scores.length, "score");
  return (
    <span
      title={[label, ...named, ...(left > 0 ? [`and ${left} more`] : [])].join("\n")}
      className="flex shrink-0 items-center gap-0.5 text-xs text-ink-soft"
    >
      <Star size={13} role="img" aria-label={label} />
      {scores.length > 1 && <span aria-hidden>{scores.length.toLocaleString("en")}</span>}
    </span>
  );
}

interface PathShareProps {
  readonly node: SpanNode;
  readonly tree: SpanTree;
  readonly path: PathView;
}

function PathShare({ node, tree, path }: PathShareProps) {
  const top = tree.nodes[0]!;
  const share = (path.shares.get(node.span.id) ?? 0) / (top.end - top.start);
  if (!(share > 0)) return null;
  return (
    <Badge tone="accent" title="Own share of the critical path">
      {share < 0.005 ? "<1%" : `${Math.round(share * 100)}%`}
    </Badge>
  );
}

/** The indent with a guide line for each level. */
function Indent({ depth }: { readonly depth: number }) {
  const levels = Math.min(depth, MAX_INDENT);
  if (levels === 0) return null;
  return (
    <span
      className="flex h-full shrink-0 items-center justify-end"
      style={{
        width: levels * INDENT,
        backgroundImage: "linear-gradient(to right, var(--line) 1px, transparent 1px)",
        backgroundSize: `${INDENT}px 100%`,
        backgroundPositionX: INDENT / 2,
      }}
    >
      {depth > MAX_INDENT && (
        <span
          title={`Level ${depth + 1}`}
          className="rounded bg-sunken px-1 text-xs text-ink-soft tabular-nums"
        >
          {depth + 1}
        </span>
      )}
    </span>
  );
}

function Toggle({
  isParent,
  isCollapsed,
}: {
  readonly isParent: boolean;
  readonly isCollapsed: boolean;
}) {
  if (!isParent) return <span className="w-4 shrink-0" />;
  const Chevron = isCollapsed ? ChevronRight : ChevronDown;
  return (
    <button
      type="button"
      data-toggle
      tabIndex={-1}
      aria-label={isCollapsed ? "Expand" : "Collapse"}
      className="flex h-6 w-4 shrink-0 items-center justify-center rounded text-ink-soft hover:bg-line hover:text-ink"
    >
      <Chevron size={14} aria-hidden />
    </button>
  );
}

function Figure({
  isOptional = false,
  title,
  children,
}: {
  readonly isOptional?: boolean;
  readonly title?: string | undefined;
  readonly children: string;
}) {
  return (
    <GridCell
      title={title}
      className={classNames(
        "truncate text-right text-[0.93rem] text-ink-soft tabular-nums",
        isOptional && "@max-[560px]:hidden",
      )}
    >
      {children}
    </GridCell>
  );
}

function orphanText({ span, parent }: SpanNode): string {
  if (span.parent_span_id !== null) return `Parent span ${span.parent_span_id} not recorded`;
  return parent < 0 ? "" : "No parent span id";
}

/** Highlights the first occurrence of a text, ignoring case. */
function MarkedText({ text, mark }: { readonly text: string; readonly mark: string }) {
  const lower = text.toLowerCase();
  const at = mark === "" ? -1 : lower.indexOf(mark.toLowerCase());
  // Lower-casing may change the length (İ); then the positions do not correspond.
  if (at < 0 || lower.length !== text.length) return text;
  const to = at + mark.length;
  return (
    <>
      {text.slice(0, at)}
      <mark className="rounded-sm bg-warning text-surface">{text.slice(at, to)}</mark>
      {text.slice(to)}
    </>
  );
}

// Rows of a virtualised treegrid are positioned absolutely, which table rows cannot be. The grid keeps the
// focus and names the active row (aria-activedescendant), because rows are mounted and unmounted.

/** A row of a treegrid. */
export function GridRow(props: ComponentProps<"div">) {
  // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: see above.
  return <div role="row" {...props} />;
}

function GridCell(props: ComponentProps<"div">) {
  // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: see above.
  return <div role="gridcell" {...props} />;
}

export function GridHeading(props: ComponentProps<"div">) {
  // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: see above.
  return <div role="columnheader" {...props} />;
}

export function GridRows(props: ComponentProps<"div">) {
  // biome-ignore lint/a11y/useSemanticElements: see above.
  return <div role="rowgroup" {...props} />;
}

export const ROW_HEIGHT = 30;

/** The columns of the tree: name, latency, tokens, cost, time; fewer on a narrow screen. */
export function rowClass(isCompact: boolean): string {
  return classNames(
    "grid items-center gap-x-3 px-3",
    isCompact
      ? "grid-cols-[minmax(0,1.2fr)_4rem_minmax(5rem,1fr)]"
      : "grid-cols-[minmax(0,1.3fr)_4rem_minmax(5.5rem,1fr)] @min-[560px]:grid-cols-[minmax(0,1.5fr)_4.4rem_3.6rem_5.6rem_minmax(8rem,1fr)]",
  );
}
