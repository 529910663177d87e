import type { ListedSpan } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FlaskConical } from "lucide-react";
import { applicationsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { buttonClass } from "../design/button.tsx";
import { editedFrom, shownName } from "../spans/shown-name.ts";
import type { RouteCall } from "./route-call.ts";

interface PlaygroundLinkProps {
  readonly call: RouteCall;
  readonly size?: "small" | "normal";
}

/** Opens the route in the playground with the same configuration and inputs; only for a registered application. */
export function PlaygroundLink({ call, size = "normal" }: PlaygroundLinkProps) {
  if (!useIsRegistered(call.app)) return null;
  return (
    <Link
      to="/apps/$app/playground"
      params={{ app: call.app }}
      search={{ route: call.route, span: call.spanId }}
      className={buttonClass("plain", size)}
    >
      <FlaskConical size={15} aria-hidden />
      Open in playground
    </Link>
  );
}

/** `concise@3` or `edited from concise@3`, linked to the variant's page where there is one. */
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

/**
 * Whether the registry has an application of this name. Spans of programs that only export traces name
 * applications without a playground or variants. False until the registry has answered.
 */
export function useIsRegistered(app: string | null): boolean {
  const applications = useQuery(applicationsQuery(usePlatform()));
  return applications.data?.some(({ slug }) => slug === app) ?? false;
}
