import type { RouteSchema } from "@agate/protocol";
import { useState } from "react";
import { fittingDraft, type InputDraft, switchToForm, switchToJson } from "./input-draft.ts";
import { inputFields } from "./input-fields.ts";

/** Whether inputs are edited by fields or as JSON, and the way from one to the other. */
export interface InputMode {
  readonly mode: InputDraft["mode"];
  /** There are fields, so there is a choice. */
  readonly isChoice: boolean;
  /** Why the other one could not be shown. */
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
    // Until something is edited.
    refusal: refused?.draft === draft ? refused.reason : null,
    onSwitch: (mode) => {
      const switched =
        mode === "json" ? switchToJson(schema, fitting) : switchToForm(schema, fitting);
      if (switched.kind === "switched") onChange(switched.draft);
      else setRefused({ draft, reason: switched.reason });
    },
  };
}
