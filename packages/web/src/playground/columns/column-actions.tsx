import {
  Copy,
  EllipsisVertical,
  GitBranchPlus,
  GitCommitHorizontal,
  Rocket,
  Trash2,
} from "lucide-react";
import { Button, IconButton } from "../../design/button.tsx";
import { Menu, MenuItem } from "../../design/menu.tsx";
import type { ColumnView } from "./column-view.ts";

interface ColumnActionsProps {
  readonly view: ColumnView;
  /** Why the reader may not change the registry; null where they may. */
  readonly refusal: string | null;
  readonly isOnly: boolean;
  readonly onCommit: () => void;
  readonly onSaveAs: () => void;
  readonly onDeploy: () => void;
  readonly onCopy: () => void;
  readonly onRemove: () => void;
}

/** What can be done with a column. */
export function ColumnActions(props: ColumnActionsProps) {
  const { view, refusal, isOnly, onCommit, onSaveAs, onDeploy, onCopy, onRemove } = props;
  const noCommit = refusal ?? commitDisabledReason(view);
  const noDeploy = refusal ?? deployDisabledReason(view);
  return (
    <>
      <Button size="small" refusal={noCommit} onClick={onCommit}>
        <GitCommitHorizontal size={14} aria-hidden />
        Commit…
      </Button>
      <Button size="small" refusal={noDeploy} onClick={onDeploy}>
        <Rocket size={14} aria-hidden />
        Deploy…
      </Button>
      <Menu trigger={<IconButton icon={EllipsisVertical} label={`More for ${view.title}`} />}>
        <MenuItem refusal={refusal ?? saveDisabledReason(view)} onSelect={onSaveAs}>
          <GitBranchPlus size={15} aria-hidden className="text-ink-soft" />
          Save as a new variant…
        </MenuItem>
        <MenuItem onSelect={onCopy}>
          <Copy size={15} aria-hidden className="text-ink-soft" />
          Compare with a copy
        </MenuItem>
        {!isOnly && (
          <MenuItem tone="danger" onSelect={onRemove}>
            <Trash2 size={15} aria-hidden />
            Remove this column
          </MenuItem>
        )}
      </Menu>
      {refusal !== null && <span className="text-[0.93rem] text-ink-soft">{refusal}</span>}
    </>
  );
}

function saveDisabledReason(view: ColumnView): string | null {
  return view.kind === "ready" ? null : "There is no configuration to commit.";
}

function commitDisabledReason(view: ColumnView): string | null {
  if (view.kind !== "ready") return saveDisabledReason(view);
  const isNew = view.base === null || view.base.revision === 0;
  return isNew || view.column.draft !== null ? null : "Nothing is changed.";
}

function deployDisabledReason(view: ColumnView): string | null {
  if (view.column.draft !== null) return "A draft is deployed after it is committed.";
  if (view.kind !== "ready") return "There is no configuration to deploy.";
  return view.base === null || view.base.revision === 0 ? "Commit it first." : null;
}
