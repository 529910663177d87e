import type { ListedSpan } from "@agate/protocol";
import { Link } from "@tanstack/react-router";
import { shownName } from "../spans/shown-name.ts";
import { useIsRegistered } from "./use-is-registered.ts";

/** `concise@3`, to its page in the registry where it has one. */
export function VariantLink({ span }: { readonly span: Pick<ListedSpan, "variant" | "metadata"> }) {
  const { variant_name, variant_id, revision } = span.variant;
  const { application } = span.metadata;
  const text = `${shownName(variant_name ?? variant_id ?? "")}${revision === null ? "" : `@${revision}`}`;
  const isRegistered = useIsRegistered(application);
  if (variant_name === null || application === null || !isRegistered) return text;
  return (
    <Link
      to="/apps/$app/variants/$variant"
      params={{ app: application, variant: variant_name }}
      className="text-accent hover:underline"
    >
      {text}
    </Link>
  );
}
