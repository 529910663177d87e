import type { RouteSchema } from "@agate/protocol";
import { isSameJson } from "@agate/protocol";
import { ChevronRight, Copy, EllipsisVertical, Pencil, Play, Trash2 } from "lucide-react";
import { type ReactNode, useCallback, useRef, useState } from "react";
import type { FieldProblem } from "../config-form/field-problem.ts";
import { Button, IconButton } from "../design/button.tsx";
import { classNames } from "../design/class-names.ts";
import { TextInput } from "../design/field.tsx";
import { Menu, MenuItem } from "../design/menu.tsx";
import { type InputDraft, parseDraft, typedProblems } from "../input-form/input-draft.ts";
import { InputForm } from "../input-form/input-form.tsx";
import { ModeSwitch, useInputMode } from "../input-form/input-mode.tsx";
import { inputProblems } from "./running/server-problems.ts";
import { RUNS } from "./running/stop-button.tsx";
import type { Runner } from "./running/use-runner.ts";
import type { TestCase, WorkspaceAction } from "./state/workspace.ts";
import { focusNeighbor } from "./workbench-focus.ts";

interface CaseSlotProps {
  readonly route: RouteSchema;
  readonly testCase: TestCase;
  readonly isOnly: boolean;
  readonly runner: Runner;
  readonly refusal: string | null;
  readonly dispatch: (action: WorkspaceAction) => void;
  readonly onRun: () => void;
  readonly children?: ReactNode;
}

/** A case's card, with what is done when something in it is pressed. */
export function CaseSlot(props: CaseSlotProps) {
  const { route, testCase, isOnly, runner, refusal, dispatch, onRun, children } = props;
  const { id, draft } = testCase;
  const parsed = parseDraft(route.inputs, draft);
  const runs = [...runner.runs].flatMap(([key, run]) => (key.endsWith(`:${id}`) ? [run] : []));
  const problems = useSameJson(
    parsed.kind === "inputs"
      ? inputProblems(runs, parsed.inputs)
      : runner.tried.has(id)
        ? parsed.problems
        : typedProblems(route.inputs, draft),
  );
  const type = useCallback(
    (typed: InputDraft) => dispatch({ kind: "type", case: id, draft: typed }),
    [dispatch, id],
  );
  return (
    <CaseCard
      testCase={testCase}
      schema={route.inputs}
      problems={problems}
      isOnly={isOnly}
      refusal={refusal}
      onType={type}
      onRename={(name) => dispatch({ kind: "rename", case: id, name })}
      onCopy={() => dispatch({ kind: "copy-case", case: id })}
      onRemove={() => {
        focusNeighbor("data-case", id);
        dispatch({ kind: "remove-case", case: id });
      }}
      onRun={onRun}
    >
      {children}
    </CaseCard>
  );
}

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
function CaseCard(props: CaseCardProps) {
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

interface CaseNameProps {
  readonly name: string;
  readonly isRenaming: boolean;
  readonly onRename: (name: string) => void;
  /** The box is left by a key, and goes: something else should have the focus. */
  readonly onLeave: () => void;
}

/** What a case is called; while it is being renamed, a box with it. */
function CaseName({ name, isRenaming, onRename, onLeave }: CaseNameProps) {
  if (!isRenaming) return <h2 className="min-w-0 truncate font-semibold">{name}</h2>;
  return <NameBox name={name} onRename={onRename} onLeave={onLeave} />;
}

/** When the box appears. One function for all of its renderings: another would select anew with every key. */
function selectAll(box: HTMLInputElement | null): void {
  box?.select();
}

function NameBox({ name, onRename, onLeave }: Omit<CaseNameProps, "isRenaming">) {
  const [typed, setTyped] = useState(name);
  const finish = () => onRename(typed.trim() || name);
  return (
    <TextInput
      aria-label={`New name of ${name}`}
      value={typed}
      ref={selectAll}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={finish}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== "Escape") return;
        if (event.key === "Enter") finish();
        else onRename(name);
        onLeave();
      }}
      className="max-w-64"
    />
  );
}

/** Keeps the identity of a value that each render makes anew, so that memoised children are not drawn again. */
function useSameJson<Value>(value: Value): Value {
  const [kept, setKept] = useState(value);
  if (kept === value || isSameJson(kept, value)) return kept;
  setKept(value);
  return value;
}
