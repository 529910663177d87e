import os

os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "SPAN_ONLY"

from opentelemetry._logs import set_logger_provider
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from questions import AGATE_URL, ask, ask_overloaded, ask_with_tool, openai_client, otlp_provider

provider = otlp_provider()
logs = LoggerProvider(resource=provider.resource)
logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter(f"{AGATE_URL}/v1/logs")))
set_logger_provider(logs)
OpenAIInstrumentor().instrument()

client = openai_client()
tracer = provider.get_tracer("stones")
with tracer.start_as_current_span("answer", attributes={"user.id": "u-1", "session.id": "s-1"}):
    ask(client)
ask_with_tool(client)
ask_overloaded(client)
provider.shutdown()
logs.shutdown()
