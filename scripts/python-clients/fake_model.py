"""A model on the loopback address that speaks OpenAI's API. Every answer costs the same tokens."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CHAT_USAGE = {
    "prompt_tokens": 1000,
    "completion_tokens": 200,
    "total_tokens": 1200,
    "prompt_tokens_details": {"cached_tokens": 400, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 50, "audio_tokens": 0},
}
RESPONSES_USAGE = {
    "input_tokens": 1000,
    "input_tokens_details": {"cached_tokens": 400},
    "output_tokens": 200,
    "output_tokens_details": {"reasoning_tokens": 50},
    "total_tokens": 1200,
}
OVERLOADED = {
    "error": {"message": "The engine is overloaded.", "type": "rate_limit", "code": "overloaded"}
}
DATED = {"gpt-4o-mini": "gpt-4o-mini-2024-07-18"}


def message_for(body):
    """The answer: a call of the first tool on offer, else `Agate: ` and the question."""
    last = body["messages"][-1]
    tools = body.get("tools") or []
    if tools and last["role"] == "user":
        names = [tool["function"]["name"] for tool in tools]
        name = names[0]
        arguments = '{"colour":"blue"}' if name == "find_stone" else '{"answer":"A banded stone."}'
        function = {"name": name, "arguments": arguments}
        call = {"id": "call_1", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    content = last["content"]
    if isinstance(content, list):
        content = " ".join(part.get("text", "") for part in content)
    if "[[ ## answer ## ]]" in json.dumps(body["messages"]):
        return {"role": "assistant", "content": "[[ ## answer ## ]]\nA banded stone.\n\n[[ ## completed ## ]]"}
    return {"role": "assistant", "content": f"Agate: {content}"}


def chat(body):
    message = message_for(body)
    reason = "tool_calls" if "tool_calls" in message else "stop"
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reason}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1790000000,
        "model": DATED.get(body["model"], body["model"]),
        "choices": [choice],
        "usage": CHAT_USAGE,
    }


def response(body):
    question = body["input"] if isinstance(body["input"], str) else body["input"][-1]["content"]
    content = [{"type": "output_text", "text": f"Agate: {question}", "annotations": []}]
    item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed"}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1790000000,
        "status": "completed",
        "model": DATED.get(body["model"], body["model"]),
        "output": [{**item, "content": content}],
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "usage": RESPONSES_USAGE,
    }


def embeddings(body):
    return {
        "object": "list",
        "model": body["model"],
        "data": [{"object": "embedding", "index": 0, "embedding": [0.5, -0.25, 1.0]}],
        "usage": {"prompt_tokens": 8, "total_tokens": 8},
    }


ANSWERS = {
    "/v1/chat/completions": chat,
    "/v1/responses": response,
    "/v1/embeddings": embeddings,
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        answer = ANSWERS.get(self.path)
        if answer is None:
            self.send(404, {"error": {"message": f"Nothing at {self.path}"}})
        elif body.get("model") == "overloaded":
            self.send(429, OVERLOADED)
        else:
            self.send(200, answer(body))

    def send(self, status, value):
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def start_fake_model():
    """Starts it and returns the base URL for clients."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1"
