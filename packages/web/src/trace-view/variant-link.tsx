import type { ListedSpan } from "@agate/protocol";
import { Link } from "@tanstack/react-router";
import { editedFrom } from "../spans/edited-from.ts";
import { shownName } from "../spans/shown-name.ts";
import { useIsRegistered } from "./use-is-registered.ts";

/** `concise@3` or `edited from concise@3`, to its page in the registry where it has one. */
export function VariantLink({ span }: { readonly span: Pick<ListedSpan, "variant" | "metadata"> }) {
  const { variant_name, variant_id, revision } = span.variant;
  const { application } = span.metadata;
  const isRegistered = useIsRegistered(application);
  const edited = editedFrom(span);
  const own = `${shownName(variant_name ?? variant_id ?? "")}${revision === null ? "" : `@${revision}`}`;
  const text = edited !== null && variant_name === null ? `edited from ${shownName(edited)}` : own;
  const variant = variant_name ?? edited?.split("@")[0] ?? null;
  if (variant === null || application === null || !isRegistered) return text;
  return (
    <Link
      to="/apps/$app/variants/$variant"
      params={{ app: application, variant }}
      className="text-accent hover:underline"
    >
      {text}
    </Link>
  );
}
