import type { RouteSchema } from "@agate/protocol";
import { useState } from "react";
import { classNames } from "../design/class-names.ts";
import { fittingDraft, type InputDraft, switchToForm, switchToJson } from "./input-draft.ts";
import { inputFields } from "./input-fields.ts";

const NAMES = [
  ["form", "Form"],
  ["json", "JSON"],
] as const;

/** Switches between form and JSON. Hidden if there are no fields. */
export function ModeSwitch({ mode, isChoice, onSwitch }: InputMode) {
  if (!isChoice) return null;
  return (
    <fieldset
      aria-label="Input mode"
      className="inline-flex rounded-md border border-line bg-sunken p-0.5"
    >
      {NAMES.map(([name, text]) => (
        <button
          key={name}
          type="button"
          aria-pressed={mode === name}
          onClick={() => name !== mode && onSwitch(name)}
          className={classNames(
            "h-6 rounded px-2 text-[0.93rem] font-medium",
            mode === name ? "bg-raised text-ink shadow-sm" : "text-ink-soft hover:text-ink",
          )}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}

/** Whether inputs are edited as a form or as JSON. */
interface InputMode {
  readonly mode: InputDraft["mode"];
  /** Whether there are fields to edit in a form. */
  readonly isChoice: boolean;
  /** Why the last switch failed. */
  readonly refusal: string | null;
  readonly onSwitch: (mode: InputDraft["mode"]) => void;
}

export function useInputMode(
  schema: RouteSchema["inputs"],
  draft: InputDraft,
  onChange: (draft: InputDraft) => void,
): InputMode {
  const [refused, setRefused] = useState<{ draft: InputDraft; reason: string } | null>(null);
  const fitting = fittingDraft(schema, draft);
  return {
    mode: fitting.mode,
    isChoice: (inputFields(schema)?.fields.length ?? 0) > 0,
    // Shown until the next edit.
    refusal: refused?.draft === draft ? refused.reason : null,
    onSwitch: (mode) => {
      const switched =
        mode === "json" ? switchToJson(schema, fitting) : switchToForm(schema, fitting);
      if (switched.kind === "switched") onChange(switched.draft);
      else setRefused({ draft, reason: switched.reason });
    },
  };
}
