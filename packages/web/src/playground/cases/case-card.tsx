import type { RouteSchema } from "@agate/protocol";
import { ChevronRight, Copy, EllipsisVertical, Pencil, Play, Trash2 } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import type { FieldProblem } from "../../config-form/field-problem.ts";
import { Button, IconButton } from "../../design/button.tsx";
import { classNames } from "../../design/class-names.ts";
import { Menu, MenuItem } from "../../design/menu.tsx";
import type { InputDraft } from "../../input-form/input-draft.ts";
import { InputForm } from "../../input-form/input-form.tsx";
import { ModeSwitch } from "../../input-form/mode-switch.tsx";
import { useInputMode } from "../../input-form/use-input-mode.ts";
import { RUNS } from "../running/stop-button.tsx";
import type { TestCase } from "../state/workspace.ts";
import { CaseName } from "./case-name.tsx";

interface CaseCardProps {
  readonly testCase: TestCase;
  readonly schema: RouteSchema["inputs"];
  readonly problems: readonly FieldProblem[];
  readonly isOnly: boolean;
  /** Why it cannot be run; null where it can. */
  readonly refusal: string | null;
  readonly className?: string;
  readonly onType: (draft: InputDraft) => void;
  readonly onRename: (name: string) => void;
  readonly onCopy: () => void;
  readonly onRemove: () => void;
  readonly onRun: () => void;
  /** What came out. */
  readonly children?: ReactNode;
}

/** Inputs that are kept under a name, with what came out of them. */
export function CaseCard(props: CaseCardProps) {
  const { testCase, schema, problems, isOnly, refusal, className, children } = props;
  const { onType, onRename, onCopy, onRemove, onRun } = props;
  const [isRenaming, setRenaming] = useState(false);
  const [isFolded, setFolded] = useState(false);
  const more = useRef<HTMLButtonElement>(null);
  const { name } = testCase;
  const isOpen = !isFolded || problems.length > 0;
  const mode = useInputMode(schema, testCase.draft, onType);
  return (
    <section
      aria-label={name}
      data-case={testCase.id}
      className={classNames("min-w-0 rounded-xl border border-line bg-surface", className)}
    >
      <header className="flex min-h-11 items-center gap-1.5 py-1.5 pr-2 pl-2">
        <IconButton
          icon={ChevronRight}
          label={isOpen ? `Fold the inputs of ${name}` : `Show the inputs of ${name}`}
          aria-expanded={isOpen}
          onClick={() => setFolded(isOpen)}
          className={isOpen ? "[&_svg]:rotate-90" : ""}
        />
        <CaseName
          name={name}
          isRenaming={isRenaming}
          onRename={(newName) => {
            setRenaming(false);
            onRename(newName);
          }}
          // Once the box is gone: leaving it would take what is typed in it.
          onLeave={() => requestAnimationFrame(() => more.current?.focus())}
        />
        <div className="ml-auto flex shrink-0 items-center gap-1">
          {isOpen && <ModeSwitch {...mode} />}
          <Button size="small" refusal={refusal} onClick={onRun} {...RUNS}>
            <Play size={13} aria-hidden />
            Run<span className="sr-only"> {name}</span>
          </Button>
          <Menu
            trigger={<IconButton ref={more} icon={EllipsisVertical} label={`More for ${name}`} />}
            returnsFocus={!isRenaming}
          >
            <MenuItem onSelect={() => setRenaming(true)}>
              <Pencil size={15} aria-hidden className="text-ink-soft" />
              Rename
            </MenuItem>
            <MenuItem onSelect={onCopy}>
              <Copy size={15} aria-hidden className="text-ink-soft" />
              Duplicate
            </MenuItem>
            <MenuItem
              tone="danger"
              refusal={isOnly ? "It is the only one." : null}
              onSelect={onRemove}
            >
              <Trash2 size={15} aria-hidden />
              Delete
            </MenuItem>
          </Menu>
        </div>
      </header>
      {isOpen && (
        <div className="flex flex-col gap-3 border-t border-line p-4">
          {mode.refusal !== null && (
            <p role="alert" className="text-[0.93rem] text-danger">
              {mode.refusal}
            </p>
          )}
          <InputForm schema={schema} draft={testCase.draft} problems={problems} onChange={onType} />
        </div>
      )}
      {children}
    </section>
  );
}
