import { isSameJson, type RouteSchema } from "@agate/protocol";
import { emptyDraft } from "../../input-form/input-draft.ts";
import type { Workspace } from "./workspace.ts";

/** Whether somebody who had `own` misses anything in `shown`: an edit, or a case with something in it. */
export function losesWork(
  own: Workspace,
  shown: Workspace,
  inputs: RouteSchema["inputs"],
): boolean {
  const empty = emptyDraft(inputs);
  const isLostCase = ({ draft }: Workspace["cases"][number]) =>
    !isSameJson(draft, empty) && !shown.cases.some((other) => isSameJson(other.draft, draft));
  const isLostEdit = ({ draft }: Workspace["columns"][number]) =>
    draft !== null && !shown.columns.some((other) => isSameJson(other.draft, draft));
  return own.cases.some(isLostCase) || own.columns.some(isLostEdit);
}
