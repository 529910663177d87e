import {
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { Badge } from "../../design/badge.tsx";
import type { Tone } from "../../design/tone.ts";
import { TextDiff } from "../../text-diff/text-diff.tsx";
import { ValueView } from "../../value-view/value-view.tsx";
import { ColumnNumber } from "../columns/column-badges.tsx";
import {
  isUnderWay,
  type RunOutput as Output,
  outputText,
  outputValue,
  type Run,
  type RunStatus,
} from "./run.ts";
import { RunFailure } from "./run-failure.tsx";
import { FiguresList } from "./run-figures.tsx";
import { RunTrace } from "./run-trace.tsx";
import { StopButton } from "./stop-button.tsx";

interface ColumnName {
  /** From 1. */
  readonly place: number;
  readonly title: string;
}

interface RunOutputProps {
  readonly app: string;
  /** The case and column: `Case 1`, `Case 1, column 2`. */
  readonly name: string;
  /** The column's place and title; null for a single column. */
  readonly column: ColumnName | null;
  readonly run: Run | undefined;
  /** The run of the first column on the same case, for comparison. */
  readonly first: Run | undefined;
  /** Shows a diff against the first column. */
  readonly showsDifferences: boolean;
  /** Neither configuration nor inputs were edited since. */
  readonly isCurrent: boolean;
  readonly isTraceOpen: boolean;
  readonly onStop: () => void;
}

/** The status, figures, output and trace of a run. */
export function RunOutput(props: RunOutputProps) {
  const { app, name, column, run, first, showsDifferences, isCurrent, isTraceOpen, onStop } = props;
  if (run === undefined) {
    return (
      <div className="flex flex-wrap gap-x-3 px-4 py-3 text-ink-soft">
        <ColumnTitle column={column} />
        Not run yet
      </div>
    );
  }
  const { output, error } = run;
  const other = first?.output ?? null;
  const isComparable = output !== null && other !== null && !isUnderWay(run);
  const isCompared = showsDifferences && isComparable;
  return (
    <div className="@container flex min-w-0 flex-col overflow-hidden rounded-b-xl">
      <div
        data-output=""
        className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5"
      >
        <ColumnTitle column={column} />
        <span role="status">
          <RunBadge status={run.status} />
        </span>
        {run.status === "running" && run.startedAt !== null && (
          <RunningTime since={run.startedAt} />
        )}
        {!isUnderWay(run) && <FiguresList run={run} first={first} />}
        {isComparable && first && !isUnderWay(first) && (
          <SameOutputBadge output={output} other={other} />
        )}
        {!isCurrent && !isUnderWay(run) && (
          <Badge tone="warning" title="Configuration or inputs were edited after this run.">
            edited since
          </Badge>
        )}
        {isUnderWay(run) && (
          <StopButton size="small" className="ml-auto" onStop={onStop}>
            Stop
          </StopButton>
        )}
      </div>
      <div className="flex min-w-0 flex-col @4xl:flex-row">
        <div className="min-w-0 flex-1" aria-busy={isUnderWay(run)}>
          {error !== null && <RunFailure app={app} error={error} />}
          {output === null && run.leftOut === null && run.status === "done" && (
            <p className="px-4 pb-3 text-ink-soft">Empty stream</p>
          )}
          {run.leftOut !== null && (
            <p className="px-4 pb-3 text-ink-soft">
              Output too long to save. Run again or open the trace.
            </p>
          )}
          {output !== null && (
            <Scrolled isGrowing={isUnderWay(run)}>
              {isCompared ? (
                <TextDiff from={outputText(other)} to={outputText(output)} />
              ) : (
                <ValueView value={outputValue(output)} label={`Output of ${name}`} isScrolled />
              )}
            </Scrolled>
          )}
        </div>
        {!isUnderWay(run) && <RunTrace run={run} name={name} isOpenAtFirst={isTraceOpen} />}
      </div>
    </div>
  );
}

function ColumnTitle({ column }: { readonly column: ColumnName | null }) {
  if (column === null) return null;
  return (
    <h3 className="min-w-0 truncate font-medium text-ink">
      <ColumnNumber place={column.place} /> {column.title}
    </h3>
  );
}

function SameOutputBadge({ output, other }: { readonly output: Output; readonly other: Output }) {
  const isSame = useMemo(() => outputText(output) === outputText(other), [output, other]);
  return <Badge title="Compared with the first column">{isSame ? "same output" : "differs"}</Badge>;
}

interface ScrolledProps {
  /** Keeps the end in view until the user scrolls away from it. */
  readonly isGrowing: boolean;
  readonly children: ReactNode;
}

/** Limits the height: a long output must not push its trace and the next case out of view. */
function Scrolled({ isGrowing, children }: ScrolledProps) {
  const box = useFollowedEnd(isGrowing);
  return (
    <div
      ref={box}
      // It scrolls, so the keyboard must reach it.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
      tabIndex={0}
      className="relative max-h-96 min-w-0 @4xl:max-h-[32rem] overflow-auto px-4 pb-3"
    >
      {children}
    </div>
  );
}

const BADGES: Record<RunStatus, { readonly tone: Tone; readonly label: string }> = {
  waiting: { tone: "neutral", label: "Queued" },
  running: { tone: "accent", label: "Running" },
  done: { tone: "success", label: "Done" },
  failed: { tone: "danger", label: "Failed" },
  stopped: { tone: "warning", label: "Stopped" },
};

function RunBadge({ status }: { readonly status: RunStatus }) {
  const { tone, label } = BADGES[status];
  return (
    <Badge tone={tone}>
      {status === "running" && (
        <span aria-hidden className="size-1.5 animate-pulse rounded-full bg-current" />
      )}
      {label}
    </Badge>
  );
}

/** Closer than this counts as the end. */
const NEAR_PX = 8;

/** Keeps the end of a growing box in view, unless the user scrolled away from it. */
function useFollowedEnd(isGrowing: boolean): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const onScroll = () => {
      const { scrollHeight, scrollTop, clientHeight } = element;
      isAtEnd.current = scrollHeight - scrollTop - clientHeight <= NEAR_PX;
    };
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => element.removeEventListener("scroll", onScroll);
  }, []);
  // After each render: new chunks make the box longer.
  useLayoutEffect(() => {
    const element = box.current;
    if (isGrowing && isAtEnd.current && element !== null) element.scrollTop = element.scrollHeight;
  });
  return box;
}

const RUNNING_TIME_MS = 100;

interface RunningTimeProps {
  /** By the page's clock (`performance.now`). */
  readonly since: number;
}

/** The elapsed time. Hidden from screen readers, which would announce every change. */
function RunningTime({ since }: RunningTimeProps) {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), RUNNING_TIME_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <span aria-hidden className="text-[0.93rem] text-ink-soft tabular-nums">
      {((now - since) / 1000).toFixed(1)} s
    </span>
  );
}
