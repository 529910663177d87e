import type { ListedSpan, SpanRecord } from "@agate/protocol";
import type { StoredSpan } from "@agate/spans";
import { buildTree } from "@agate/spans/tree";
import { unpackFrame } from "../segments/segment-frame.ts";
import type { TreeRead } from "../span-store.ts";

/** The answer that these spans should give, made from parsed records instead of text. */
export function expectedTree(spans: readonly StoredSpan[]): SpanRecord {
  const tree = buildTree(spans);
  return nest(
    spans.map((span) => span.openRecord),
    tree,
    tree.top,
  );
}

function nest(
  openRecords: readonly string[],
  tree: ReturnType<typeof buildTree>,
  focus: number,
  afterTotal: (index: number) => string = () => "",
): SpanRecord {
  const path: SpanRecord[] = [];
  const from = tree.position[focus] as number;
  const floor = tree.depth[focus] as number;
  for (const index of tree.preorder.subarray(from, tree.subtreeEnd[focus])) {
    const open = openRecords[index] as string;
    const total = JSON.stringify(tree.total(index));
    const record = JSON.parse(`${open}${total}${afterTotal(index)}}}`) as SpanRecord;
    record.children = null;
    const level = (tree.depth[index] as number) - floor;
    const parent = path[level - 1];
    if (parent !== undefined) {
      parent.children ??= [];
      parent.children.push(record);
    }
    path[level] = record;
  }
  return path[0] as SpanRecord;
}

/** What a read holds, as parsed records; undefined when it is missing. */
export async function assemble(read: TreeRead): Promise<SpanRecord | undefined> {
  switch (read.kind) {
    case "missing":
      return undefined;
    case "assembled": {
      const record = JSON.parse(Buffer.from(read.json).toString());
      // As the server does, which frees the memory of the bytes after sending them.
      read.json.buffer.transfer(0);
      return record;
    }
    case "frame": {
      const record = JSON.parse(Buffer.from(unpackFrame(read.zstd)).toString());
      read.zstd.buffer.transfer(0);
      return record;
    }
    case "chunks": {
      const chunks: Uint8Array[] = [];
      for await (const chunk of read.chunks) chunks.push(chunk);
      return JSON.parse(Buffer.concat(chunks).toString());
    }
    case "nodes": {
      const texts = await read.openRecords([...Array(read.nodes.length).keys()]);
      const tree = buildTree(read.nodes);
      const ids = texts.map((_, n) => read.nodes.at(n)?.id ?? "");
      const addedTo = await read.added?.of(ids);
      const added = (n: number) => addedTo?.(ids[n] ?? "", n === tree.top);
      const open = texts.map((text, n) => {
        const record = Buffer.from(text).toString();
        return added(n)?.fill(record) ?? record;
      });
      const after = (n: number) => added(n)?.afterTotal ?? "";
      return nest(open, tree, read.focus ?? tree.top, after);
    }
  }
}

/** A record as lists show it. */
export function withoutChildren({ children: _, ...listed }: SpanRecord): ListedSpan {
  return listed;
}

/** A trace of these spans as lists show it. */
export function expectedListed(spans: readonly StoredSpan[]): ListedSpan {
  const listed = withoutChildren(expectedTree(spans));
  const failed = spans.filter(({ status }) => status === "ERROR").length;
  if (failed > 0) listed.metadata.failed_spans = failed;
  return listed;
}
