package io.csi4j.admin.internal.console;

import io.csi4j.core.call.StatusCode;
import io.csi4j.core.lifecycle.PluginCall;
import io.csi4j.core.lifecycle.health.HealthProblem;
import io.csi4j.core.lifecycle.health.ServerHealth;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.spi.CallEvent;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The first page: the health of the server, and the numbers, problems and failed calls that explain it. */
final class OverviewPage {
    private static final int FAILURES = 10;
    private static final int CLAIMS = 5;

    private final Html html;
    private final Live live;

    private OverviewPage(Html html, Live live) {
        this.html = html;
        this.live = live;
    }

    static void write(Html html, Live live, List<CallEvent> failures) {
        OverviewPage page = new OverviewPage(html, live);
        page.health();
        page.figures();
        page.problems();
        page.plugins();
        page.waiting();
        page.failures(failures);
    }

    private void health() {
        ServerHealth health = live.health();
        String kind = health.able() ? health.problems().isEmpty() ? "good" : "busy" : "bad";
        html.open("div", "class", "verdict " + kind);
        html.element(
                "strong",
                health.able()
                        ? health.problems().isEmpty()
                                ? "This server can do its work"
                                : "This server can do its work, with "
                                        + Words.count(health.problems().size(), "problem", "problems")
                        : "This server cannot do its work");
        String leader = health.leading()
                ? "It leads"
                : health.leader().map(name -> name + " leads").orElse("No leader is known");
        String log = health.logLatency()
                .map(time -> "the log answers in " + Words.duration(time))
                .orElse("the log does not answer");
        html.element("span", leader + "; " + log + "; state at index " + health.index() + ".");
        html.close("div");
    }

    private void figures() {
        Live.Totals totals = live.totals();
        ServerHealth health = live.health();
        html.open("dl", "class", "figures");
        figure("Volumes", "" + totals.volumes(), totals.unsettled() + " with remaining work", "/volumes");
        figure("Claims", "" + totals.claims(), health.releases() + " being released", "/volumes");
        figure("Waiting claims", "" + live.waiting().size(), oldestClaim(), "/waiting");
        figure(
                "Plugins",
                live.plugins().stream().filter(PluginView::schedulable).count() + " of "
                        + live.plugins().size(),
                "can take claims",
                "/plugins");
        figure("Nodes", totals.nodesReady() + " of " + totals.nodes(), "ready", "/nodes");
        figure("Calls in flight", "" + health.callsInFlight(), queue(), "/calls");
        html.close("dl");
    }

    private void figure(String name, String value, String detail, String target) {
        html.open("div");
        html.open("dt").link(target, name).close("dt");
        html.element("dd", value, "class", "value");
        html.element("dd", detail, "class", "detail");
        html.close("div");
    }

    private String oldestClaim() {
        return live.waiting().isEmpty()
                ? "none"
                : "the oldest for " + Words.duration(live.waiting().get(0).age(live.at()));
    }

    private String queue() {
        Optional<Duration> oldest = live.calls().stream()
                .filter(call -> !call.inFlight())
                .map((PluginCall call) -> call.age(live.at()))
                .max(Comparator.naturalOrder());
        return oldest.map(age -> live.health().waitingCalls() + " in the queue, the oldest for " + Words.duration(age))
                .orElse("none in the queue");
    }

    private void problems() {
        if (live.health().problems().isEmpty()) {
            return;
        }
        html.open("section", "aria-labelledby", "problems");
        html.element("h2", "Problems", "id", "problems");
        html.open("ul", "class", "problems");
        for (HealthProblem problem : live.health().problems()) {
            html.open("li");
            html.badge(problem.kind(), problem.kind().blocking() ? "bad" : "busy");
            html.element("p", problem.message()).element("p", problem.remedy(), "class", "remedy");
            html.close("li");
        }
        html.close("ul").close("section");
    }

    private void plugins() {
        html.open("section", "aria-labelledby", "plugins");
        html.element("h2", "Plugins", "id", "plugins");
        PluginsPage.table(html, live.plugins());
        html.close("section");
    }

    private void waiting() {
        if (live.waiting().isEmpty()) {
            return;
        }
        html.open("section", "aria-labelledby", "waiting");
        html.element("h2", "Longest waiting claims", "id", "waiting");
        WaitingPage.table(html, live.waiting().stream().limit(CLAIMS).toList(), live.at());
        html.close("section");
    }

    private void failures(List<CallEvent> failures) {
        html.open("section", "aria-labelledby", "errors");
        html.element("h2", "Last failed calls", "id", "errors");
        if (failures.isEmpty()) {
            html.element("p", "No call has failed since this server started.", "class", "empty");
        } else {
            CallsPage.failures(html, failures.stream().limit(FAILURES).toList());
        }
        html.close("section");
    }

    /** Returns the kind of the badge that shows a status code: good, busy or bad. */
    static String kind(StatusCode code) {
        return switch (code) {
            case OK -> "good";
            case ABORTED, DEADLINE_EXCEEDED, UNAVAILABLE, RESOURCE_EXHAUSTED -> "busy";
            default -> "bad";
        };
    }
}
