import type { SpanRecord } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { Terminal } from "lucide-react";
import { usePlatform } from "../api/platform-context.tsx";
import { sessionQuery } from "../api/session.ts";
import { Button } from "../design/button.tsx";
import { Menu, MenuItem } from "../design/menu.tsx";
import { useToaster } from "../design/toaster.tsx";
import { callCurl, spanCurl } from "./curl-commands.ts";
import type { RouteCall } from "./route-call.ts";

interface CopyMenuProps {
  readonly span: SpanRecord;
  readonly call: RouteCall | null;
}

/** Commands for a terminal that read the span, or repeat the call that it records. */
export function CopyMenu({ span, call }: CopyMenuProps) {
  const client = usePlatform();
  const session = useQuery(sessionQuery(client));
  const toaster = useToaster();
  const access = {
    origin: window.location.origin,
    project: client.project,
    needsKey: session.data?.caller?.is_operator === false,
  };
  const copy = (text: string) =>
    // Not there over plain HTTP from another machine.
    Promise.resolve(navigator.clipboard?.writeText(text) ?? Promise.reject()).then(
      () => toaster.done("Copied. Paste it into a terminal."),
      () => toaster.failed("The browser does not let the page copy."),
    );
  const trigger = (
    <Button
      look="quiet"
      size="small"
      onClick={call === null ? () => void copy(spanCurl(span.id, access)) : undefined}
    >
      <Terminal size={15} aria-hidden />
      Copy curl
    </Button>
  );
  if (call === null) return trigger;
  return (
    <Menu trigger={trigger}>
      <MenuItem onSelect={() => void copy(spanCurl(span.id, access))}>Read this span</MenuItem>
      <MenuItem onSelect={() => void copy(callCurl(call, access))}>
        Call the route again, with the same configuration and inputs
      </MenuItem>
    </Menu>
  );
}
