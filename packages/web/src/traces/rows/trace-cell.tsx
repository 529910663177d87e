import { plural } from "@agate/protocol/format";
import { Link } from "@tanstack/react-router";
import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { useEffect, useRef } from "react";
import type { RowScores } from "../../api/row-scores.ts";
import type { TraceRow } from "../../api/trace-row.ts";
import { Badge } from "../../design/badge.tsx";
import { formatWhen } from "../../format/format-time.ts";
import { StatusBadge } from "../../spans/span-badges.tsx";
import { cellText, cellTitle, chipText } from "./cell-text.ts";
import { LINK_CLASS, PREVIEW_CLASS, valueClass } from "./row-look.ts";
import type { TraceColumn } from "./trace-columns.ts";
import { type RowActions, rowTarget } from "./use-row-actions.ts";

interface TraceCellProps {
  readonly row: TraceRow;
  readonly column: TraceColumn;
  readonly now: number;
}

/**
 * A value of a row. It lies above the row's link, so that hovering shows its title; clicks are handled
 * by the row.
 */
export function TraceCell({ row, column, now }: TraceCellProps) {
  const { text, filter } = cellText(row, column.id);
  const title = cellTitle(row, column.id);
  return (
    <span
      title={filter === undefined ? title : `${title ?? text}\nAlt-click to filter`}
      data-filter={filter?.join("=")}
      className={valueClass(column.id, text)}
    >
      {shown()}
    </span>
  );

  function shown() {
    if (column.id === "status") return <RowStatus row={row} />;
    if (column.id === "scores" && text !== "–") return <ScoreChips scores={row.scores} />;
    return column.id === "time" ? formatWhen(row.startedAt, now) : <bdi>{text}</bdi>;
  }
}

/** The status of the root span, and the number of failed spans below it. */
export function RowStatus({ row }: { readonly row: TraceRow }) {
  const { status, isCancelled, failedSpans } = row;
  const isHidden = status !== "ERROR" && failedSpans > 0;
  const label = `${plural(failedSpans, "failed span")} below`;
  return (
    <>
      <StatusBadge status={status} isCancelled={isCancelled} />
      {isHidden && (
        <span data-filter="any_error=true" className="flex">
          <Badge tone="danger" title={`${label}\nAlt-click to filter`}>
            <CircleAlert size={12} role="img" aria-label={label} />
            <span aria-hidden>{failedSpans.toLocaleString("en")}</span>
          </Badge>
        </span>
      )}
    </>
  );
}

/** More names are only counted. */
const MOST_CHIPS = 3;

/** The scores of a row, a chip for each name; Alt-click filters by the one clicked. */
function ScoreChips({ scores: { shown, leftOut } }: { readonly scores: RowScores }) {
  const left = leftOut + Math.max(0, shown.length - MOST_CHIPS);
  return (
    <>
      {shown.slice(0, MOST_CHIPS).map((score) => (
        <span
          key={score.name}
          data-filter={`score=${score.name}:any`}
          className="flex max-w-full min-w-0"
        >
          <Badge tone={score.failed > 0 ? "danger" : "neutral"}>
            <span className="truncate">{score.name}</span>{" "}
            <span className={score.failed > 0 ? "shrink-0" : "shrink-0 text-ink"}>
              {chipText(score)}
            </span>
          </Badge>
        </span>
      ))}
      {left > 0 && <Badge>+{left.toLocaleString("en")}</Badge>}
    </>
  );
}

/** Input and output, or input and error message, on one line. */
export function TracePreview({ row }: { readonly row: TraceRow }) {
  const { input, output, status, statusMessage } = row;
  const isFailed = status === "ERROR" && statusMessage !== null && statusMessage !== "";
  const end = isFailed ? statusMessage : output;
  return (
    <p dir="auto" className={PREVIEW_CLASS}>
      <bdi>{input}</bdi>
      {end !== "" && (
        <>
          <span aria-hidden className="px-1.5">
            →
          </span>
          <bdi className={isFailed ? "text-danger" : "text-ink"}>{end}</bdi>
        </>
      )}
    </p>
  );
}

interface TraceLinkProps {
  readonly row: TraceRow;
  /** The row has the keyboard focus. */
  readonly isSelected: boolean;
  /** Tab moves to this row. */
  readonly isTabStop: boolean;
  readonly actions: RowActions;
  readonly children: ReactNode;
}

/** The link of a row, which covers the whole row: a real link, so that a middle click opens a tab. */
export function TraceLink(props: TraceLinkProps) {
  const { row, isSelected, isTabStop, actions, children } = props;
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (!isSelected || link.current === null) return;
    // A selected row that scrolls into view must not take the focus from a text field.
    const { activeElement } = document;
    const isElsewhere = activeElement !== document.body && !activeElement?.closest("[role=grid]");
    if (!isElsewhere) link.current.focus({ preventScroll: true });
  }, [isSelected]);
  return (
    <Link
      ref={link}
      {...rowTarget(row, actions.list)}
      tabIndex={isTabStop ? 0 : -1}
      onFocus={() => actions.select(row.key)}
      className={LINK_CLASS}
    >
      {children}
    </Link>
  );
}
