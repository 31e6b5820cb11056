package io.csi4j.testkit.internal.control;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.testkit.history.CallRecord;
import io.csi4j.testkit.history.CallResult;
import io.csi4j.testkit.history.CallTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A call as one line: fields between tabs, in a fixed order, then name and value of each argument and of each entry of
 * the volume context.
 */
final class CallLine {
    private static final int FIXED = 12;
    /** Stands before the keys of the volume context; no field of a request has such a name. */
    private static final String CONTEXT = "volume_context/";

    private CallLine() {}

    static String of(CallRecord call) {
        List<String> fields = new ArrayList<>();
        fields.add(Long.toString(call.number()));
        fields.add(call.rpc().csiName());
        fields.add(call.volume().orElse(""));
        fields.add(call.node().orElse(""));
        fields.add(Boolean.toString(call.withSecrets()));
        fields.add(call.time().start().toString());
        fields.add(call.time().end().map(Instant::toString).orElse(""));
        fields.add(Long.toString(call.time().startOrder()));
        fields.add(Long.toString(call.time().endOrder()));
        fields.add(call.result().map(result -> result.code().name()).orElse(""));
        fields.add(call.result().map(CallResult::message).orElse(""));
        fields.add(call.fault().orElse(""));
        call.arguments().forEach((name, value) -> {
            fields.add(name);
            fields.add(value);
        });
        call.volumeContext().forEach((key, value) -> {
            fields.add(CONTEXT + key);
            fields.add(value);
        });
        return TabbedLine.join(fields);
    }

    /**
     * Reads a line.
     *
     * @throws IllegalArgumentException if the line does not contain a call
     */
    static CallRecord parse(String line) {
        List<String> fields = TabbedLine.split(line);
        if (fields.size() < FIXED || fields.size() % 2 != 0) {
            throw new IllegalArgumentException("the line has " + fields.size() + " fields and is no call: " + line);
        }
        Map<String, String> arguments = new LinkedHashMap<>();
        Map<String, String> context = new LinkedHashMap<>();
        for (int i = FIXED; i < fields.size(); i += 2) {
            String name = fields.get(i);
            if (name.startsWith(CONTEXT)) {
                context.put(name.substring(CONTEXT.length()), fields.get(i + 1));
            } else {
                arguments.put(name, fields.get(i + 1));
            }
        }
        CallTime time = new CallTime(
                Instant.parse(fields.get(5)),
                optional(fields.get(6)).map(Instant::parse),
                Long.parseLong(fields.get(7)),
                Long.parseLong(fields.get(8)));
        return new CallRecord(
                Long.parseLong(fields.get(0)),
                rpc(fields.get(1)),
                optional(fields.get(2)),
                optional(fields.get(3)),
                arguments,
                context,
                Boolean.parseBoolean(fields.get(4)),
                time,
                optional(fields.get(9)).map(code -> new CallResult(StatusCode.valueOf(code), fields.get(10))),
                optional(fields.get(11)));
    }

    private static Rpc rpc(String name) {
        return Rpc.ofCsiName(name).orElseThrow(() -> new IllegalArgumentException("'" + name + "' is no RPC of CSI"));
    }

    private static Optional<String> optional(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }
}
