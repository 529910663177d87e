import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useEffect, useRef } from "react";
import type { TraceRow } from "../../api/trace-row.ts";
import type { RowActions } from "./row-actions.ts";
import { rowTarget } from "./row-target.ts";

interface TraceLinkProps {
  readonly row: TraceRow;
  /** The row is where the keyboard is. */
  readonly isSelected: boolean;
  /** The row that Tab leads to. */
  readonly isTabStop: boolean;
  readonly actions: RowActions;
  readonly children: ReactNode;
}

/** The link of a row, as large as the row: a real one, so that a middle click opens a new tab. */
export function TraceLink(props: TraceLinkProps) {
  const { row, isSelected, isTabStop, actions, children } = props;
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (!isSelected || link.current === null) return;
    // Somebody types elsewhere: a row that comes into sight again must not take that away.
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
      className="truncate font-medium outline-none after:absolute after:inset-0"
    >
      {children}
    </Link>
  );
}
