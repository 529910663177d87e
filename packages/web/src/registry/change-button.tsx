import type { ComponentProps } from "react";
import { Button } from "../design/button.tsx";
import { useMayChange } from "../revisions/use-may-change.ts";

/** A button that changes the registry: who may only read is told why it does not for them. */
export function ChangeButton({ refusal, ...rest }: ComponentProps<typeof Button>) {
  const forbidden = useMayChange();
  return <Button refusal={forbidden ?? refusal} {...rest} />;
}
