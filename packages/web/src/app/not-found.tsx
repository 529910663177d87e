import { Link } from "@tanstack/react-router";
import { Compass } from "lucide-react";
import { EmptyState } from "../design/empty-state.tsx";

export function NotFound() {
  return (
    <EmptyState icon={Compass} level={1} title="There is no such page">
      <p>The address may be mistyped, or from another version of Agate.</p>
      <Link to="/traces" className="font-medium text-accent underline">
        Go to the traces
      </Link>
    </EmptyState>
  );
}
