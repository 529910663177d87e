"""Prints what a client exported as OTLP JSON without anything that changes from run to run.

Runs in the client's own environment: python to_capture.py FOLDER < description, where the folder has
the bodies as `0.traces`, `1.logs`, … and the description is the capture's other fields as JSON.
"""

import importlib.metadata
import json
import re
import sys
from pathlib import Path

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

REQUESTS = {"traces": ExportTraceServiceRequest, "logs": ExportLogsServiceRequest}
RESOURCE = re.compile(r"service\.name$|deployment\.|openinference\.|langfuse\.|langsmith\.")
STACK = re.compile(r"\s*Traceback \(most recent call last\).*", re.DOTALL)
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
LONGEST = 300
FIRST_NANOS = 1_790_000_000_000_000_000


class Scrubber:
    def __init__(self, noise):
        self.noise = tuple(noise)
        self.ids = {}
        self.uuids = {}

    def id(self, encoded, length):
        """Ids by number, in the order in which they are met."""
        if not encoded:
            return ""
        number = self.ids.setdefault(encoded, len(self.ids) + 1)
        return f"{number:0{length}x}"

    def text(self, text):
        text = STACK.sub("", text)
        text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:8080", text)
        text = re.sub(r"0x[0-9a-f]{6,}", "0x0", text)
        text = UUID.sub(self.uuid, text)
        text = re.sub(r"\btr-[0-9a-f]{32}", "tr-0", text)
        if len(text) <= LONGEST:
            return text
        try:
            value = json.loads(text)
        except ValueError:
            return text[:LONGEST] + "…"
        if isinstance(value, str):
            return json.dumps(self.text(value))
        return json.dumps(self.inner(value), separators=(",", ":"))

    def inner(self, value):
        """The same inside JSON."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.inner(item) for item in value]
        if isinstance(value, dict):
            return {key: self.inner(item) for key, item in value.items()}
        return value

    def uuid(self, found):
        number = self.uuids.setdefault(found.group(), len(self.uuids) + 1)
        return f"00000000-0000-0000-0000-{number:012}"

    def value(self, value):
        if "stringValue" in value:
            return {"stringValue": self.text(value["stringValue"])}
        if "arrayValue" in value:
            values = value["arrayValue"].get("values", [])
            return {"arrayValue": {"values": [self.value(item) for item in values]}}
        if "kvlistValue" in value:
            return {"kvlistValue": {"values": self.attributes(value["kvlistValue"].get("values", []))}}
        return value

    def attributes(self, attributes):
        kept = []
        for attribute in attributes:
            key = attribute["key"]
            if key.startswith(self.noise) or key.endswith(("stacktrace", "stack_trace")):
                continue
            if key == "server.port":
                attribute = {"key": key, "value": {"intValue": "8080"}}
            kept.append({"key": key, "value": self.value(attribute.get("value", {}))})
        return kept

    def resource(self, group):
        attributes = group.get("resource", {}).get("attributes", [])
        kept = [attribute for attribute in attributes if RESOURCE.match(attribute["key"])]
        return {"attributes": self.attributes(kept)}

    def entry(self, entry):
        """A span or a log record."""
        entry = dict(entry)
        for name, length in (("traceId", 32), ("spanId", 16), ("parentSpanId", 16)):
            if name in entry:
                entry[name] = self.id(entry[name], length)
        for name in ("flags", "traceState", "droppedAttributesCount", "observedTimeUnixNano"):
            entry.pop(name, None)
        if "attributes" in entry:
            entry["attributes"] = self.attributes(entry["attributes"])
        if "body" in entry:
            entry["body"] = self.value(entry["body"])
        if "message" in entry.get("status", {}):
            entry["status"]["message"] = self.text(entry["status"]["message"])
        for event in entry.get("events", []):
            event["attributes"] = self.attributes(event.get("attributes", []))
        entry.pop("links", None)
        return entry


def request_of(path, scrubber):
    request = REQUESTS[path.suffix[1:]]()
    body = path.read_bytes()
    if body[:1] == b"{":
        raise SystemExit("This client sends JSON, which to_capture.py does not read.")
    request.ParseFromString(body)
    groups = []
    for group in next(iter(MessageToDict(request, use_integers_for_enums=True).values()), []):
        scopes = [name for name in ("scopeSpans", "scopeLogs") if name in group]
        for kind in scopes:
            entries = "spans" if kind == "scopeSpans" else "logRecords"
            inner = [
                {
                    "scope": {k: v for k, v in scope.get("scope", {}).items() if k in ("name", "version")},
                    entries: [scrubber.entry(entry) for entry in scope[entries]],
                }
                for scope in group[kind]
            ]
            groups.append({"resource": scrubber.resource(group), kind: inner})
    return {"resourceSpans" if path.suffix == ".traces" else "resourceLogs": groups}


def in_order(value, times):
    """Times by their order, a millisecond apart."""
    if isinstance(value, list):
        return [in_order(item, times) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: str(FIRST_NANOS + 1_000_000 * times[int(item)])
        if key.endswith("TimeUnixNano") or key == "timeUnixNano"
        else in_order(item, times)
        for key, item in value.items()
    }


def version_of(package):
    name = re.split(r"[\[=<>]", package)[0]
    return f"{name} {importlib.metadata.version(name)}"


def main():
    folder = Path(sys.argv[1])
    description = json.load(sys.stdin)
    scrubber = Scrubber(description.pop("noise"))
    packages = description.pop("packages")
    paths = description.pop("paths")
    requests = []
    files = sorted(folder.iterdir(), key=lambda path: int(path.stem))
    for file, path in zip(files, paths, strict=True):
        requests.append({"path": path, "body": request_of(file, scrubber)})
    times = {int(time) for time in re.findall(r'imeUnixNano": "(\d+)"', json.dumps(requests))}
    order = {time: index for index, time in enumerate(sorted(times))}
    capture = {
        **description,
        "versions": [version_of(package) for package in packages],
        "requests": in_order(requests, order),
    }
    print(json.dumps(capture, indent=1, ensure_ascii=False))


main()
