"""Exports are sent to a collector that reads them with Google's protobuf.

OTLP/JSON is protobuf's JSON but for ids, which are hex: they are made what the parser reads. Unknown fields, enums and
types are errors. Usage: collector.py BINARY DEMO
"""

import base64
import http.server
import json
import pathlib
import re
import subprocess
import sys
import threading

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2 as metrics
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as traces

KINDS = {
    "/v1/traces": (traces.ExportTraceServiceRequest, traces.ExportTraceServiceResponse),
    "/v1/metrics": (metrics.ExportMetricsServiceRequest, metrics.ExportMetricsServiceResponse),
}
IDS = {"traceId": 32, "spanId": 16, "parentSpanId": 16}


def with_ids(value):
    """Ids as protobuf's JSON has bytes."""
    if isinstance(value, list):
        return [with_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for key, member in value.items():
        if key in IDS:
            if member != "" or key != "parentSpanId":
                assert re.fullmatch("[0-9a-f]{%d}" % IDS[key], member) and set(member) != {"0"}, (key, member)
            result[key] = base64.b64encode(bytes.fromhex(member)).decode()
        else:
            result[key] = with_ids(member)
    return result


class Collector(http.server.BaseHTTPRequestHandler):
    received = []
    reject = 0

    def do_POST(self):
        request, response = KINDS[self.path]
        assert self.headers["content-type"] == "application/json"
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message = json_format.ParseDict(with_ids(body), request(), ignore_unknown_fields=False)
        self.received.append(message)
        answer = response()
        if self.reject:
            answer.partial_success.rejected_spans = self.reject
        text = json_format.MessageToJson(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def main():
    binary, demo = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    endpoint = f"http://127.0.0.1:{server.server_port}"

    def export(*args, code=0):
        done = subprocess.run([binary, "export", *args, "--endpoint", endpoint], cwd=demo, capture_output=True, text=True)
        assert done.returncode == code and done.stdout == "", (args, done)
        received, Collector.received = Collector.received, []
        return received

    spans = 0
    sessions = ["7c9e", "20ab", "logs/claude-code.jsonl", "logs/codex.jsonl"]
    for form in ["otlp", "otlp-genai"]:
        for session in sessions:
            for message in export(session, "--format", form):
                for resource in message.resource_spans:
                    assert any(item.key == "service.name" for item in resource.resource.attributes)
                    for span in resource.scope_spans[0].spans:
                        spans += 1
                        assert len(span.trace_id) == 16 and len(span.span_id) == 8
                        assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano
                        keys = [item.key for item in span.attributes]
                        assert len(keys) == len(set(keys)), keys
    assert spans > 30, spans
    points = 0
    for message in export("--metrics", "--since", "2000-01-01"):
        for metric in message.resource_metrics[0].scope_metrics[0].metrics:
            assert metric.WhichOneof("data") == "gauge"
            points += len(metric.gauge.data_points)
            assert all(point.WhichOneof("value") == "as_double" for point in metric.gauge.data_points)
    assert points > 5, points
    Collector.reject = 2
    assert export("7c9e", "--format", "otlp", code=3)
    print(f"{spans} spans and {points} points were read")


main()
