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
  /** Which environment is called. */
  readonly called: ReactNode;
  readonly isUnderWay: boolean;
  /** How many runs the button starts. */
  readonly runs: number;
  /** Why nothing can be run; null if it can. */
  readonly refusal: string | null;
  readonly hasDrafts: boolean;
  /** The controls for comparing columns. */
  readonly compare: ReactNode;
  readonly onRun: () => void;
  readonly onStop: () => void;
  readonly onCopyLink: () => void;
  readonly onResetCases: () => void;
  readonly onRevertAll: () => void;
  /** Null if nothing was set aside. */
  readonly onRestore: (() => void) | null;
}

/** The route's name and the actions on the whole workspace. */
export function WorkbenchHeader(props: WorkbenchHeaderProps) {
  const { app, route, called, isUnderWay, runs, refusal, hasDrafts, compare } = props;
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
      beside={called}
      actions={
        <>
          {isUnderWay && (
            // Placed where it moves no other button when it comes and goes: a click would hit the wrong one.
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
            <MenuItem refusal={hasDrafts ? null : "No edits."} onSelect={onRevertAll}>
              <RotateCcw size={15} aria-hidden className="text-ink-soft" />
              Revert all edits
            </MenuItem>
            <MenuItem onSelect={onResetCases}>
              <RotateCcw size={15} aria-hidden className="text-ink-soft" />
              Reset test cases
            </MenuItem>
            {onRestore && (
              <MenuItem onSelect={onRestore}>
                <History size={15} aria-hidden className="text-ink-soft" />
                Restore my work
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
