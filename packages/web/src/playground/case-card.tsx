import type { RouteSchema } from "@agate/protocol";
import { isSameJson } from "@agate/protocol";
import { useParams } from "@tanstack/react-router";
import { ChevronRight, Copy, EllipsisVertical, ListPlus, Pencil, Play, Trash2 } from "lucide-react";
import { type ReactNode, useCallback, useRef, useState } from "react";
import type { FieldProblem } from "../config-form/field-problem.ts";
import { Button, IconButton } from "../design/button.tsx";
import { TextInput } from "../design/field.tsx";
import { Menu, MenuItem } from "../design/menu.tsx";
import { type InputDraft, parseDraft, typedProblems } from "../input-form/input-draft.ts";
import { InputForm } from "../input-form/input-form.tsx";
import { ModeSwitch, useInputMode } from "../input-form/input-mode.tsx";
import { AddToTestSetDialog } from "../testsets/add-to-test-set-dialog.tsx";
import { caseOfInputs, refusedCase } from "../testsets/span-case.ts";
import { rejectedInputs } from "./running/rejected-fields.ts";
import { RUNS } from "./running/stop-button.tsx";
import type { Runner } from "./running/use-runner.ts";
import type { TestCase, WorkspaceAction } from "./state/workspace.ts";
import { focusNeighbor } from "./workbench-focus.ts";

interface CaseCardProps {
  readonly route: RouteSchema;
  readonly testCase: TestCase;
  readonly isOnly: boolean;
  readonly runner: Runner;
  /** Why it cannot be run; null if it can. */
  readonly noRunReason: string | null;
  readonly dispatch: (action: WorkspaceAction) => void;
  readonly onRun: () => void;
  /** The outputs. */
  readonly children?: ReactNode;
}

/** A test case: its name, its inputs and, below them, its outputs. */
export function CaseCard(props: CaseCardProps) {
  const { route, testCase, runner, dispatch, children } = props;
  const { id, name, draft } = testCase;
  const schema = route.inputs;
  const problems = useInputProblems(route, testCase, runner);
  const onType = useCallback(
    (typed: InputDraft) => dispatch({ kind: "type", case: id, draft: typed }),
    [dispatch, id],
  );
  const mode = useInputMode(schema, draft, onType);
  const [isCollapsed, setCollapsed] = useState(false);
  const isOpen = !isCollapsed || problems.length > 0;
  return (
    <section
      aria-label={name}
      data-case={id}
      className="min-w-0 rounded-xl border border-line bg-surface"
    >
      <header className="flex min-h-11 items-center gap-1.5 py-1.5 pr-2 pl-2">
        <IconButton
          icon={ChevronRight}
          label={isOpen ? `Collapse inputs of ${name}` : `Expand inputs of ${name}`}
          aria-expanded={isOpen}
          onClick={() => setCollapsed(isOpen)}
          className={isOpen ? "[&_svg]:rotate-90" : ""}
        />
        <NameAndActions {...props} modeSwitch={isOpen && <ModeSwitch {...mode} />} />
      </header>
      {isOpen && (
        <div className="flex flex-col gap-3 border-t border-line p-4">
          {mode.refusal !== null && (
            <p role="alert" className="text-[0.93rem] text-danger">
              {mode.refusal}
            </p>
          )}
          <InputForm schema={schema} draft={draft} problems={problems} onChange={onType} />
        </div>
      )}
      {children}
    </section>
  );
}

/** What the page or the workflow found wrong in the inputs. */
function useInputProblems(
  route: RouteSchema,
  { id, draft }: TestCase,
  runner: Runner,
): readonly FieldProblem[] {
  const parsed = parseDraft(route.inputs, draft);
  const runs = [...runner.runs].flatMap(([key, run]) => (key.endsWith(`:${id}`) ? [run] : []));
  return useSameJson(
    parsed.kind === "inputs"
      ? rejectedInputs(runs, parsed.inputs)
      : runner.tried.has(id)
        ? parsed.problems
        : typedProblems(route.inputs, draft),
  );
}

/** Keeps the identity of a value that each render makes anew, so that memoised children are not drawn again. */
function useSameJson<Value>(value: Value): Value {
  const [kept, setKept] = useState(value);
  if (kept === value || isSameJson(kept, value)) return kept;
  setKept(value);
  return value;
}

function NameAndActions(props: CaseCardProps & { readonly modeSwitch: ReactNode }) {
  const { testCase, isOnly, noRunReason, modeSwitch, dispatch, onRun } = props;
  const { id, name } = testCase;
  const [isRenaming, setRenaming] = useState(false);
  const [isAdding, setAdding] = useState(false);
  const more = useRef<HTMLButtonElement>(null);
  return (
    <>
      {isRenaming ? (
        <NameBox
          name={name}
          onRename={(newName) => {
            setRenaming(false);
            dispatch({ kind: "rename", case: id, name: newName });
          }}
          // After the box is unmounted: blurring it would submit its text.
          onLeave={() => requestAnimationFrame(() => more.current?.focus())}
        />
      ) : (
        <h2 className="min-w-0 truncate font-semibold">{name}</h2>
      )}
      <div className="ml-auto flex shrink-0 items-center gap-1">
        {modeSwitch}
        <Button size="small" refusal={noRunReason} onClick={onRun} {...RUNS}>
          <Play size={13} aria-hidden />
          Run<span className="sr-only"> {name}</span>
        </Button>
        <Menu
          trigger={
            <IconButton ref={more} icon={EllipsisVertical} label={`More actions for ${name}`} />
          }
          returnsFocus={!isRenaming}
        >
          <MenuItem onSelect={() => setRenaming(true)}>
            <Pencil size={15} aria-hidden className="text-ink-soft" />
            Rename
          </MenuItem>
          <MenuItem onSelect={() => dispatch({ kind: "copy-case", case: id })}>
            <Copy size={15} aria-hidden className="text-ink-soft" />
            Duplicate
          </MenuItem>
          <MenuItem onSelect={() => setAdding(true)}>
            <ListPlus size={15} aria-hidden className="text-ink-soft" />
            Add to test set…
          </MenuItem>
          <MenuItem
            tone="danger"
            refusal={isOnly ? "The only test case can't be deleted." : null}
            onSelect={() => {
              focusNeighbor("data-case", id);
              dispatch({ kind: "remove-case", case: id });
            }}
          >
            <Trash2 size={15} aria-hidden />
            Delete
          </MenuItem>
        </Menu>
      </div>
      {isAdding && <AddCaseDialog {...props} onClose={() => setAdding(false)} />}
    </>
  );
}

interface AddCaseDialogProps extends Pick<CaseCardProps, "route" | "testCase"> {
  readonly onClose: () => void;
}

/** Adds the inputs of a case to a test set. */
function AddCaseDialog({ route, testCase, onClose }: AddCaseDialogProps) {
  const { app } = useParams({ from: "/apps/$app/playground" });
  const { name, draft } = testCase;
  const parsed = parseDraft(route.inputs, draft);
  const candidate =
    parsed.kind === "inputs"
      ? caseOfInputs(name, parsed.inputs, { application: app, route: route.route })
      : refusedCase(name, "Its inputs are not valid yet.");
  return <AddToTestSetDialog candidates={[candidate]} onClose={onClose} />;
}

/** A constant function: a new one per render would select the text again with every key. */
function selectAll(box: HTMLInputElement | null): void {
  box?.select();
}

interface NameBoxProps {
  readonly name: string;
  readonly onRename: (name: string) => void;
  /** A key ended the renaming: the focus needs another place. */
  readonly onLeave: () => void;
}

function NameBox({ name, onRename, onLeave }: NameBoxProps) {
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
