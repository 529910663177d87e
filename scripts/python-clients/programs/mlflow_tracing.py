import os

from questions import AGATE_URL, TRACES_URL, ask, ask_overloaded, ask_with_tool, openai_client

os.environ |= {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": TRACES_URL, "OTEL_SERVICE_NAME": "stones"}
os.environ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"] = "http/protobuf"

import mlflow

mlflow.openai.autolog()
client = openai_client()


@mlflow.trace(span_type="RETRIEVER")
def find(question: str):
    return [{"page_content": "Agate is banded."}]


@mlflow.trace(span_type="CHAIN")
def answer(question: str):
    mlflow.update_current_trace(metadata={"mlflow.trace.user": "u-1", "mlflow.trace.session": "s-1"})
    find(question)
    return ask(client)


answer("What is agate?")
ask_with_tool(client)
ask_overloaded(client)
mlflow.flush_trace_async_logging()
