import type { ComponentProps } from "react";
import { Button } from "../design/button.tsx";
import { useMayChange } from "../revisions/use-may-change.ts";

/** A button that changes the registry: disabled, with the reason, for who may only read. */
export function ChangeButton({ disabled, title, ...rest }: ComponentProps<typeof Button>) {
  const forbidden = useMayChange();
  return <Button disabled={disabled || forbidden !== null} title={forbidden ?? title} {...rest} />;
}
