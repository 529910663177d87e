import type { TestSet } from "@agate/protocol";
import { plural } from "@agate/protocol/format";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { usePlatform } from "../api/platform-context.tsx";
import { deleteTestSet, testSetQuery } from "../api/testsets.ts";
import { PageHeader, useTitle } from "../design/page-header.tsx";
import { Tabs } from "../design/panels.tsx";
import { useToaster } from "../design/toaster.tsx";
import { ConfirmDialog } from "../registry/confirm-dialog.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { ChangeButton } from "../revisions/read-only.tsx";
import { TestSetDialog } from "./test-set-dialog.tsx";
import { TestSetHistory } from "./test-set-history.tsx";
import { TestSetRows } from "./test-set-rows.tsx";
import { RouteText } from "./test-sets-page.tsx";
import { useTestSetsRefresh } from "./use-test-set-change.ts";

const route = getRouteApi("/testsets/$set");

/** One test set: its rows, which can be edited, and its history. */
export function TestSetPage() {
  const { set } = route.useParams();
  useTitle(set);
  const testSet = useQuery(testSetQuery(usePlatform(), set));
  return (
    <Loaded query={testSet} lines={6}>
      {(loaded) => <TestSetView key={loaded.id} testSet={loaded} />}
    </Loaded>
  );
}

function TestSetView({ testSet }: { readonly testSet: TestSet }) {
  const [tab, setTab] = useState("rows");
  const { slug, rows, bound_to } = testSet;
  return (
    <>
      <PageHeader
        title={slug}
        above={<Link to="/testsets">Test sets</Link>}
        beside={
          <span className="flex min-w-0 flex-wrap items-center gap-x-3 text-ink-soft">
            <span>{plural(rows, "row")}</span>
            <RouteText boundTo={bound_to} />
          </span>
        }
        actions={<TestSetActions testSet={testSet} />}
      />
      <Tabs
        label="Test set"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: "rows", label: "Rows", content: <TestSetRows testSet={testSet} /> },
          { value: "history", label: "History", content: <TestSetHistory testSet={testSet} /> },
        ]}
      />
    </>
  );
}

function TestSetActions({ testSet }: { readonly testSet: TestSet }) {
  const [asked, setAsked] = useState<"edit" | "delete" | null>(null);
  const navigate = useNavigate();
  const refresh = useTestSetsRefresh();
  const toaster = useToaster();
  const { slug } = testSet;
  return (
    <>
      <ChangeButton scope="evaluate" onClick={() => setAsked("edit")}>
        Edit
      </ChangeButton>
      <ChangeButton onClick={() => setAsked("delete")}>Delete</ChangeButton>
      {asked === "edit" && (
        <TestSetDialog
          testSet={testSet}
          onDone={(saved) => void navigate({ to: "/testsets/$set", params: { set: saved.slug } })}
          onClose={() => setAsked(null)}
        />
      )}
      {asked === "delete" && (
        <ConfirmDialog
          title={`Delete ${slug}`}
          action="Delete"
          look="danger"
          refusal="Not deleted"
          change={(client) => deleteTestSet(client, slug)}
          onDone={() => {
            toaster.done(`Deleted ${slug}.`);
            refresh();
            void navigate({ to: "/testsets" });
          }}
          onClose={() => setAsked(null)}
        >
          <p>{slug} will be deleted with all its revisions and rows. This can't be undone.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
