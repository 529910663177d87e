import { Link } from "@tanstack/react-router";
import { EllipsisVertical, History, Link2, Play, RotateCcw } from "lucide-react";
import type { ReactNode } from "react";
import { Button, IconButton } from "../design/button.tsx";
import { Menu, MenuItem } from "../design/menu.tsx";
import { PageHeader } from "../design/page-header.tsx";
import { RUNS, StopButton } from "./running/stop-button.tsx";
import { RUN_KEYS } from "./use-run-key.ts";

interface WorkbenchHeaderProps {
  readonly app: string;
  readonly route: string;
  readonly isUnderWay: boolean;
  /** How many runs "Run" starts. */
  readonly runs: number;
  /** Why nothing can be run; null where it can. */
  readonly refusal: string | null;
  readonly hasDrafts: boolean;
  /** Adds columns, and says how they are compared. */
  readonly compare: ReactNode;
  readonly onRun: () => void;
  readonly onStop: () => void;
  readonly onCopyLink: () => void;
  readonly onResetCases: () => void;
  readonly onRevertAll: () => void;
  /** Null where the reader had set up nothing else here. */
  readonly onRestore: (() => void) | null;
}

/** The route's name, and what can be done with all that is set up for it. */
export function WorkbenchHeader(props: WorkbenchHeaderProps) {
  const { app, route, isUnderWay, runs, refusal, hasDrafts, compare } = props;
  const { onRun, onStop, onCopyLink, onResetCases, onRevertAll, onRestore } = props;
  return (
    <PageHeader
      above={
        <Link
          to="/apps/$app"
          params={{ app }}
          activeOptions={{ exact: true }}
          className="hover:text-ink hover:underline"
        >
          {app}
        </Link>
      }
      title={<span className="font-mono">{route}</span>}
      actions={
        <>
          {isUnderWay && (
            // Where nothing moves when it comes and goes: what is beside it would be pressed instead.
            <StopButton className="max-sm:order-last" onStop={onStop}>
              Stop{runs > 1 && " all"}
            </StopButton>
          )}
          {compare}
          <Button onClick={onCopyLink}>
            <Link2 size={15} aria-hidden />
            Copy link
          </Button>
          <Menu trigger={<IconButton icon={EllipsisVertical} label="Reset" />}>
            <MenuItem refusal={hasDrafts ? null : "Nothing is edited."} onSelect={onRevertAll}>
              <RotateCcw size={15} aria-hidden className="text-ink-soft" />
              Put back all edits
            </MenuItem>
            <MenuItem onSelect={onResetCases}>
              <RotateCcw size={15} aria-hidden className="text-ink-soft" />
              Reset the test cases
            </MenuItem>
            {onRestore && (
              <MenuItem onSelect={onRestore}>
                <History size={15} aria-hidden className="text-ink-soft" />
                Bring back what I had here
              </MenuItem>
            )}
          </Menu>
          <Button look="primary" refusal={refusal} title={RUN_KEYS} onClick={onRun} {...RUNS}>
            <Play size={14} aria-hidden />
            {runs > 1 ? `Run all ${runs}` : "Run"}
          </Button>
        </>
      }
    />
  );
}
