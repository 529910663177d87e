import {
  Copy,
  EllipsisVertical,
  Gauge,
  GitBranchPlus,
  GitCommitHorizontal,
  Rocket,
  Trash2,
} from "lucide-react";
import { Button, IconButton } from "../../design/button.tsx";
import { Menu, MenuItem } from "../../design/menu.tsx";
import { useReadOnlyReason } from "../../revisions/read-only.tsx";
import { type ColumnView, isCommitted } from "./column-view.ts";

interface ColumnActionsProps {
  readonly view: ColumnView;
  /** Why the user cannot change the registry; null if they can. */
  readonly readOnlyReason: string | null;
  readonly isOnly: boolean;
  readonly onCommit: () => void;
  readonly onSaveAs: () => void;
  readonly onDeploy: () => void;
  readonly onEvaluate: () => void;
  readonly onCopy: () => void;
  readonly onRemove: () => void;
}

export function ColumnActions(props: ColumnActionsProps) {
  const { view, readOnlyReason, isOnly, onCommit, onSaveAs, onDeploy } = props;
  const { onEvaluate, onCopy, onRemove } = props;
  const noEvaluateReason = useReadOnlyReason("evaluate");
  return (
    <>
      <Button
        size="small"
        refusal={readOnlyReason ?? commitDisabledReason(view)}
        onClick={onCommit}
      >
        <GitCommitHorizontal size={14} aria-hidden />
        Commit…
      </Button>
      <Button
        size="small"
        refusal={readOnlyReason ?? deployDisabledReason(view)}
        onClick={onDeploy}
      >
        <Rocket size={14} aria-hidden />
        Deploy…
      </Button>
      <Menu
        trigger={<IconButton icon={EllipsisVertical} label={`More actions for ${view.title}`} />}
      >
        <MenuItem refusal={readOnlyReason ?? saveDisabledReason(view)} onSelect={onSaveAs}>
          <GitBranchPlus size={15} aria-hidden className="text-ink-soft" />
          Save as new variant…
        </MenuItem>
        <MenuItem
          refusal={
            noEvaluateReason ??
            saveDisabledReason(view) ??
            (isCommitted(view) ? null : readOnlyReason)
          }
          onSelect={onEvaluate}
        >
          <Gauge size={15} aria-hidden className="text-ink-soft" />
          Run as evaluation…
        </MenuItem>
        <MenuItem onSelect={onCopy}>
          <Copy size={15} aria-hidden className="text-ink-soft" />
          Duplicate column
        </MenuItem>
        {!isOnly && (
          <MenuItem tone="danger" onSelect={onRemove}>
            <Trash2 size={15} aria-hidden />
            Remove column
          </MenuItem>
        )}
      </Menu>
      {readOnlyReason !== null && (
        <span className="text-[0.93rem] text-ink-soft">{readOnlyReason}</span>
      )}
    </>
  );
}

function saveDisabledReason(view: ColumnView): string | null {
  return view.kind === "ready" ? null : "No configuration to commit.";
}

function commitDisabledReason(view: ColumnView): string | null {
  if (view.kind !== "ready") return saveDisabledReason(view);
  const isNew = view.base === null || view.base.revision === 0;
  return isNew || view.column.draft !== null ? null : "No changes to commit.";
}

function deployDisabledReason(view: ColumnView): string | null {
  if (view.column.draft !== null) return "Commit the draft first.";
  if (view.kind !== "ready") return "No configuration to deploy.";
  return view.base === null || view.base.revision === 0 ? "Commit it first." : null;
}
