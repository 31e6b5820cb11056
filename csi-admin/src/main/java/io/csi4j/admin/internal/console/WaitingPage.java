package io.csi4j.admin.internal.console;

import io.csi4j.admin.internal.console.ListFilter.Field;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.lifecycle.WaitingQuery;
import io.csi4j.core.state.ListPage;
import java.time.Instant;
import java.util.List;

/** Writes the page of the waiting claims, oldest first, with the reason why each claim waits. */
final class WaitingPage {
    private static final int SIZE = 100;

    private final ListFilter filter;

    WaitingPage(Request request) {
        this.filter = new ListFilter(
                request,
                "/waiting",
                "waiting claims",
                Field.text("prefix", "Allocation begins with"),
                Field.text("namespace", "Namespace of a volume"),
                Field.text("plugin", "Plugin"),
                Field.text("node", "Node"),
                Field.of("reason", "Reason", WaitReason.values()));
    }

    void form(Html html) {
        filter.form(html);
    }

    private WaitingQuery query() {
        WaitingQuery.Builder query = WaitingQuery.builder().limit(SIZE);
        filter.value("prefix", prefix -> prefix).ifPresent(query::idPrefix);
        filter.value("namespace", Namespace::of).ifPresent(query::namespace);
        filter.value("plugin", PluginId::of).ifPresent(query::pluginId);
        filter.value("node", NodeId::of).ifPresent(query::nodeId);
        filter.constant("reason", WaitReason.class).ifPresent(query::reason);
        filter.value("after", Long::valueOf).ifPresent(query::after);
        return query.build();
    }

    void write(Html html, LiveReader reader) {
        Live live = reader.read();
        if (!live.health().leading()) {
            html.element(
                    "p", "Only the leader knows the waiting claims. Open the console of the leader.", "class", "empty");
            return;
        }
        ListPage<WaitingClaim, Long> page =
                LiveReader.joined(reader.lifecycle().claims().waiting(query()));
        int count = page.items().size();
        if (count == 0) {
            html.element("p", "No claim waits.", "class", "empty");
        } else {
            String more = page.next().isPresent() ? " on this page, and more on the next" : "";
            html.element("p", Words.count(count, "claim waits", "claims wait") + more + ".", "class", "note");
            table(html, page.items(), live.at());
        }
        filter.pages(html, page.next().map(Object::toString));
    }

    static void table(Html html, List<WaitingClaim> claims, Instant now) {
        HtmlTable table = new HtmlTable(html, "Waiting claims", "Allocation", "Volume", "Waits for", "Reason");
        for (WaitingClaim claim : claims) {
            table.row().text(claim.allocationId().toString());
            table.cell();
            claim.volume().ifPresentOrElse(key -> Links.volume(html, key), () -> html.text("deciding"));
            table.done().number(Words.duration(claim.age(now)));
            table.cell();
            reason(html, claim);
            table.done().endRow();
        }
        table.end();
    }

    static void reason(Html html, WaitingClaim claim) {
        claim.reason().ifPresent(wait -> html.badge(wait.reason(), "busy").text(" "));
        html.text(claim.text().isEmpty() ? "The server is deciding." : claim.text());
    }
}
