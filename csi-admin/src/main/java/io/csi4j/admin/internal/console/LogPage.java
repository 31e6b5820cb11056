package io.csi4j.admin.internal.console;

import io.csi4j.core.spi.LogDetails;
import io.csi4j.core.spi.LogFailedException;
import io.csi4j.core.spi.LogStatus;
import io.csi4j.core.spi.ReplicatedLog;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/** The page of the log: its leader, its servers, its entries and snapshot, and why its storage fails. */
final class LogPage {
    private final Html html;
    private final LogStatus status;
    private final LogDetails details;
    private final Instant now;

    private LogPage(Html html, LogStatus status, Instant now) {
        this.html = html;
        this.status = status;
        this.details = status.details();
        this.now = now;
    }

    /** Writes the page of a console without a log. */
    static void writeNone(Html html) {
        html.element(
                "p",
                "This console does not know the log of its server. Give it: AdminServer.builder(lifecycle).log(log).",
                "class",
                "empty");
    }

    static void write(Html html, ReplicatedLog log, Instant now) {
        LogPage page = new LogPage(html, log.status(), now);
        page.leader(log.failure());
        page.trouble();
        page.figures();
        page.servers();
    }

    private void leader(Optional<LogFailedException> failure) {
        boolean bad = failure.isPresent() || status.leader().isEmpty();
        html.open("div", "class", "verdict " + (bad ? "bad" : "good"));
        html.element(
                "strong",
                failure.isPresent()
                        ? "This server has stopped permanently"
                        : status.leader()
                                .map(name -> "Server " + name + " leads")
                                .orElse("No leader is known"));
        html.element(
                "span",
                failure.map(reason -> String.valueOf(reason.getMessage())).orElseGet(this::since) + " This is server "
                        + status.self() + ".");
        html.close("div");
    }

    private String since() {
        return "Term " + status.term()
                + status.leaderSince()
                        .map(since -> ", since " + Words.time(since) + ", for " + Words.age(since, now))
                        .orElse("")
                + ".";
    }

    private void trouble() {
        details.trouble().ifPresent(trouble -> {
            html.open("section", "aria-labelledby", "trouble");
            html.element("h2", "Trouble", "id", "trouble")
                    .open("ul", "class", "problems")
                    .open("li");
            html.badge("for " + Words.duration(trouble.age()), "bad");
            html.element("p", trouble.message()).element("p", trouble.remedy(), "class", "remedy");
            html.close("li").close("ul").close("section");
        });
    }

    private void figures() {
        html.open("dl", "class", "figures");
        OptionalLong first = details.firstIndex();
        figure(
                "Entries",
                first.isPresent() ? "" + (status.lastIndex() - first.getAsLong() + 1) : "-",
                (first.isPresent() ? "from index " + first.getAsLong() + " to " : "to index ") + status.lastIndex());
        figure(
                "Snapshot",
                status.snapshotIndex() == 0 ? "none" : "to index " + status.snapshotIndex(),
                details.snapshot().map(LogPage::snapshot).orElse(""));
        figure("Waiting commands", "" + details.waitingCommands(), Words.bytes(details.waitingBytes()));
        details.leaseAge().ifPresent(age -> figure("Lease", Words.duration(age), "since its last renewal was sent"));
        figure("Failures", "" + details.failures(), "of the storage since this server started");
        html.close("dl");
    }

    private static String snapshot(LogDetails.Snapshot snapshot) {
        return Words.bytes(snapshot.bytes())
                + snapshot.age().map(age -> ", " + Words.duration(age) + " old").orElse("");
    }

    private void figure(String name, String value, String detail) {
        html.open("div");
        html.element("dt", name);
        html.element("dd", value, "class", "value");
        html.element("dd", detail, "class", "detail");
        html.close("div");
    }

    private void servers() {
        html.open("section", "aria-labelledby", "servers").element("h2", "Servers", "id", "servers");
        Map<String, LogDetails.Server> known = new HashMap<>();
        details.servers().forEach(server -> known.put(server.name(), server));
        Set<String> names = new TreeSet<>(status.servers());
        names.addAll(known.keySet());
        names.add(status.self());
        HtmlTable table =
                new HtmlTable(html, "Servers", "Server", "Role", "Applied index", "Behind", "Last report", "Version");
        for (String name : names) {
            Optional<LogDetails.Server> server = Optional.ofNullable(known.get(name));
            OptionalLong applied = name.equals(status.self())
                    ? OptionalLong.of(status.appliedIndex())
                    : server.map(LogDetails.Server::appliedIndex).orElse(OptionalLong.empty());
            table.row().text(name).cell();
            boolean leads = status.leader().equals(Optional.of(name));
            html.badge(leads ? "leads" : "follows", leads ? "good" : "plain");
            table.done()
                    .number(applied.isPresent() ? "" + applied.getAsLong() : "-")
                    .number(applied.isPresent() ? "" + Math.max(0, status.lastIndex() - applied.getAsLong()) : "-")
                    .number(server.flatMap(LogDetails.Server::silentFor)
                            .map(LogPage::ago)
                            .orElse("-"))
                    .text(server.flatMap(LogDetails.Server::version).orElse("-"))
                    .endRow();
        }
        table.end();
        html.element("p", "The figures of other servers are those of their last report.", "class", "note");
        html.close("section");
    }

    private static String ago(Duration silent) {
        return Words.duration(silent) + " ago";
    }
}
