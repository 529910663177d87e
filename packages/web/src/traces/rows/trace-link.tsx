import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useEffect, useRef } from "react";
import type { ListView, TraceRow } from "../../api/trace-row.ts";

interface TraceLinkProps {
  readonly row: TraceRow;
  readonly view: ListView;
  /** The row is where the keyboard is. */
  readonly isSelected: boolean;
  /** The row that Tab leads to. */
  readonly isTabStop: boolean;
  readonly onFocus: () => void;
  readonly children: ReactNode;
}

/** The link of a row, as large as the row: a real one, so that a middle click opens a new tab. */
export function TraceLink(props: TraceLinkProps) {
  const { row, view, isSelected, isTabStop, onFocus, children } = props;
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
      to="/traces/$traceId"
      params={{ traceId: row.traceId }}
      search={view === "spans" ? { span: row.spanId } : {}}
      tabIndex={isTabStop ? 0 : -1}
      onFocus={onFocus}
      className="truncate font-medium outline-none after:absolute after:inset-0"
    >
      {children}
    </Link>
  );
}
