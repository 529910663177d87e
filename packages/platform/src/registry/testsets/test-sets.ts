import type {
  RouteBinding,
  RowDiff,
  TestRow,
  TestSet,
  TestSetCommit,
  TestSetRef,
  TestSetRevision,
} from "@agate/protocol";
import type { Page, PageRequest } from "../paging.ts";
import type { RegistryOutcome } from "../registry-outcome.ts";

/** The cases of a project: test sets, their revisions and rows. */
export interface TestSets {
  list(project: string): Promise<readonly TestSet[]>;
  /** By slug or id. */
  get(project: string, testSet: string): Promise<RegistryOutcome<TestSet>>;
  create(project: string, created: NewTestSet, by: string): Promise<RegistryOutcome<TestSet>>;
  /** Changes what is given. Binding it does not check the rows that it has. */
  update(
    project: string,
    testSet: string,
    change: TestSetChange,
  ): Promise<RegistryOutcome<TestSet>>;
  /** With its revisions and rows, for good. */
  delete(project: string, testSet: string): Promise<RegistryOutcome<TestSet>>;
  /** Adds a revision, unless nothing changes. Rows with a new content are checked against the route. */
  commit(
    project: string,
    testSet: string,
    commit: RowsCommit,
  ): Promise<RegistryOutcome<CommittedRows>>;
  /** Newest first. */
  history(
    project: string,
    testSet: string,
    page: PageRequest,
  ): Promise<RegistryOutcome<Page<TestSetRevision>>>;
  /** Null is the latest. */
  revision(
    project: string,
    testSet: string,
    revision: number | null,
  ): Promise<RegistryOutcome<TestSetRevision>>;
  /** Rows of a revision in their order. Null is the latest; a set without one has no rows. */
  rows(
    project: string,
    testSet: string,
    revision: number | null,
    page: RowPageRequest,
  ): Promise<RegistryOutcome<RowPage>>;
  /** How the rows of one revision became those of another, in their order. */
  diff(
    project: string,
    testSet: string,
    between: { readonly from: number; readonly to: number },
    page: RowPageRequest,
  ): Promise<RegistryOutcome<DiffPage>>;
  /** Deletes the content of a row from all revisions. Its id stays, and cannot get another content. */
  purge(project: string, testSet: string, row: string): Promise<RegistryOutcome<TestSet>>;
  /** The JSON Schema of the inputs of the route that it is bound to; null where it is bound to none. */
  inputSchema(
    project: string,
    testSet: string,
  ): Promise<RegistryOutcome<Readonly<Record<string, unknown>> | null>>;
}

export interface NewTestSet {
  readonly slug: string;
  readonly description: string;
  readonly boundTo: RouteBinding | null;
}

export type TestSetChange = {
  readonly [Field in keyof NewTestSet]?: NewTestSet[Field] | undefined;
};

export interface RowsCommit {
  readonly change: RowsChange;
  /** The latest revision, which the change is made from; null: whichever that is. */
  readonly baseRevision: number | null;
  readonly by: string;
  readonly message: string;
}

export type RowsChange =
  /** These rows, in this order, and no others. */
  | { readonly kind: "replace"; readonly rows: readonly TestRow[]; readonly lines: RowLines }
  /** Replaces rows by their ids, or appends them, and removes others. */
  | {
      readonly kind: "patch";
      readonly upsert: readonly TestRow[];
      readonly delete: readonly string[];
    }
  /** Appends those whose ids are new; the first of several with the same id. */
  | { readonly kind: "append"; readonly rows: readonly TestRow[] };

/** The lines of the file that the rows are from, for messages; null where they are from none. */
export type RowLines = readonly (number | null)[] | null;

export interface CommittedRows {
  readonly commit: TestSetCommit;
  readonly isNew: boolean;
}

export interface RowPageRequest {
  readonly limit: number;
  /** `next` of the page before. */
  readonly after: number | null;
}

export interface RowPage {
  readonly testSet: TestSetRef;
  readonly items: readonly TestRow[];
  readonly next: number | null;
}

export interface DiffPage {
  readonly from: TestSetRef;
  readonly to: TestSetRef;
  readonly counts: { readonly added: number; readonly changed: number; readonly removed: number };
  readonly items: readonly RowDiff[];
  readonly next: number | null;
}
