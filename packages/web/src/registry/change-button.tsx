import type { ComponentProps } from "react";
import { Button } from "../design/button.tsx";
import { useMayChange } from "../revisions/use-may-change.ts";

interface ChangeButtonProps extends ComponentProps<typeof Button> {
  /** What a key needs for it; `admin` unless given. */
  readonly scope?: "admin" | "deploy";
}

/** A button that changes the registry: who may only read is told why it does not for them. */
export function ChangeButton({ refusal, scope, ...rest }: ChangeButtonProps) {
  const forbidden = useMayChange(scope);
  return <Button refusal={forbidden ?? refusal} {...rest} />;
}
