import { isSameJson } from "@agate/protocol";
import { useId } from "react";
import { Badge } from "../../design/badge.tsx";
import { classNames } from "../../design/class-names.ts";
import type { MergedField, Side } from "./merge-fields.ts";

interface ConflictFieldProps {
  readonly field: MergedField;
  /** The newer revision: `default@4`. */
  readonly title: string;
  /** Null: not chosen yet. */
  readonly side: Side | null;
  readonly onChoose: (side: Side) => void;
}

/** A changed field: its value in the base, in the newer revision and in the draft. */
export function ConflictField({ field, title, side, onChoose }: ConflictFieldProps) {
  const name = useId();
  const { field: label, base, mine, theirs, isConflict } = field;
  const isSame = isSameJson(mine, theirs);
  return (
    <li>
      <fieldset
        className={classNames(
          "min-w-0 rounded-lg border px-3 pt-1 pb-3",
          isConflict ? "border-warning" : "border-line",
        )}
      >
        <legend className="flex items-center gap-2 px-1">
          <span className="font-mono font-medium">{label}</span>
          {isConflict && <Badge tone="warning">conflict</Badge>}
          {isSame && <Badge>same change</Badge>}
        </legend>
        <p className="mb-2 text-[0.93rem] text-ink-soft">
          Was <Value value={base} />
        </p>
        <div className="grid gap-2 sm:grid-cols-2">
          <Choice
            name={name}
            label={`Theirs (${title})`}
            value={theirs}
            isChanged={!isSameJson(base, theirs)}
            isChosen={side === "theirs"}
            onChoose={() => onChoose("theirs")}
          />
          <Choice
            name={name}
            label="Mine (draft)"
            value={mine}
            isChanged={!isSameJson(base, mine)}
            isChosen={side === "mine"}
            onChoose={() => onChoose("mine")}
          />
        </div>
      </fieldset>
    </li>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly value: unknown;
  readonly isChanged: boolean;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function Choice({ name, label, value, isChanged, isChosen, onChoose }: ChoiceProps) {
  return (
    <label
      className={classNames(
        "flex min-w-0 cursor-pointer items-start gap-2 rounded-md border px-2.5 py-1.5",
        isChosen ? "border-accent bg-accent-soft" : "border-line hover:border-line-strong",
      )}
    >
      <input
        type="radio"
        name={name}
        checked={isChosen}
        onChange={onChoose}
        className="mt-1 accent-accent"
      />
      <span className="min-w-0 flex-1">
        <span className="block text-xs font-medium text-ink-soft">
          {label}
          {!isChanged && " (unchanged)"}
        </span>
        <Value value={value} />
      </span>
    </label>
  );
}

function Value({ value }: { readonly value: unknown }) {
  return (
    <span className="font-mono text-[0.93rem] break-words whitespace-pre-wrap text-ink">
      {value === undefined
        ? "not set"
        : typeof value === "string"
          ? value || '""'
          : JSON.stringify(value)}
    </span>
  );
}
