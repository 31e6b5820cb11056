package io.csi4j.console;

import io.csi4j.core.lifecycle.health.HealthProblem;
import io.csi4j.core.lifecycle.health.ServerHealth;
import java.util.Locale;

/** The health of the server as JSON. */
final class HealthJson {
    private final StringBuilder out = new StringBuilder();

    private HealthJson() {}

    /** Returns only whether the server can do its work, for callers without the token. */
    static String brief(ServerHealth health) {
        return "{\"able\":" + health.able() + "}\n";
    }

    static String of(ServerHealth health) {
        HealthJson json = new HealthJson();
        json.out.append("{\"able\":").append(health.able());
        json.out.append(",\"leading\":").append(health.leading());
        json.out.append(",\"leader\":");
        health.leader().ifPresentOrElse(json::string, () -> json.out.append("null"));
        json.out.append(",\"index\":").append(health.index());
        json.out.append(",\"logLatencyMillis\":");
        json.out.append(health.logLatency().map(time -> "" + time.toMillis()).orElse("null"));
        json.out.append(",\"waitingClaims\":").append(health.waitingClaims());
        json.out.append(",\"releases\":").append(health.releases());
        json.out.append(",\"waitingCalls\":").append(health.waitingCalls());
        json.out.append(",\"callsInFlight\":").append(health.callsInFlight());
        json.out.append(",\"at\":");
        json.string(health.at().toString());
        json.out.append(",\"problems\":[");
        String separator = "";
        for (HealthProblem problem : health.problems()) {
            json.out.append(separator);
            json.problem(problem);
            separator = ",";
        }
        return json.out.append("]}\n").toString();
    }

    private void problem(HealthProblem problem) {
        out.append("{\"kind\":");
        string(problem.kind().name().toLowerCase(Locale.ROOT));
        out.append(",\"blocking\":").append(problem.kind().blocking());
        out.append(",\"message\":");
        string(problem.message());
        out.append(",\"remedy\":");
        string(problem.remedy());
        out.append('}');
    }

    private void string(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c)) {
                out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
