package io.csi4j.admin.internal.console;

import io.csi4j.admin.internal.console.ListFilter.Field;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.lifecycle.CallQuery;
import io.csi4j.core.lifecycle.PluginCall;
import io.csi4j.core.spi.CallEvent;
import io.csi4j.core.state.ListPage;
import java.time.Instant;
import java.util.List;

/** A page of the calls to plugins that have not ended, and of the calls that failed last. */
final class CallsPage {
    private static final int SIZE = 100;

    private final ListFilter filter;

    CallsPage(Request request) {
        this.filter = new ListFilter(
                request,
                "/calls",
                "calls",
                Field.text("namespace", "Namespace"),
                Field.text("prefix", "Volume id begins with"),
                Field.text("plugin", "Plugin"),
                Field.text("node", "Node"),
                Field.of("call", "Call", Rpc.values()),
                Field.yesOrNo("failing", "Failed before"));
    }

    void form(Html html) {
        filter.form(html);
    }

    private CallQuery query() {
        CallQuery.Builder query = CallQuery.builder().limit(SIZE);
        filter.value("namespace", Namespace::of).ifPresent(query::namespace);
        filter.value("prefix", prefix -> prefix).ifPresent(query::idPrefix);
        filter.value("plugin", PluginId::of).ifPresent(query::pluginId);
        filter.value("node", NodeId::of).ifPresent(query::nodeId);
        filter.constant("call", Rpc.class).ifPresent(query::rpc);
        filter.yes("failing").ifPresent(query::failing);
        filter.value("after", Long::valueOf).ifPresent(query::after);
        return query.build();
    }

    void write(Html html, LiveReader reader, List<CallEvent> failures) {
        ListPage<PluginCall, Long> page =
                LiveReader.joined(reader.lifecycle().operator().calls(query()));
        List<PluginCall> calls = page.items();
        long inFlight = calls.stream().filter(PluginCall::inFlight).count();
        String displayed = page.next().isPresent() ? " on this page, and more on the next" : "";
        html.open("section", "aria-labelledby", "open").element("h2", "Calls that have not ended", "id", "open");
        if (calls.isEmpty()) {
            html.element("p", "No call is in flight or waits.", "class", "empty");
        } else {
            html.element(
                    "p",
                    inFlight + " in flight, " + (calls.size() - inFlight) + " wait for a permit" + displayed + ".",
                    "class",
                    "note");
            open(html, calls, reader.read().at());
        }
        filter.pages(html, page.next().map(Object::toString));
        html.close("section");
        html.open("section", "aria-labelledby", "failed").element("h2", "Last failed calls", "id", "failed");
        if (failures.isEmpty()) {
            html.element("p", "No call has failed since this server started.", "class", "empty");
        } else {
            failures(html, failures);
        }
        html.close("section");
    }

    private static void open(Html html, List<PluginCall> calls, Instant now) {
        HtmlTable table =
                new HtmlTable(html, "Calls that have not ended", "Call", "Plugin", "Volume", "State", "For", "Attempt");
        for (PluginCall call : calls) {
            table.row().text(call.rpc().csiName()).cell();
            Links.plugin(html, call.pluginId());
            table.done().cell();
            call.volume().ifPresentOrElse(key -> Links.volume(html, key), () -> html.text("-"));
            table.done().cell();
            html.badge(call.inFlight() ? "in flight" : "in the queue", call.inFlight() ? "good" : "busy");
            call.nodeId().ifPresent(node -> html.text(" on " + node));
            table.done()
                    .number(Words.duration(call.age(now)))
                    .number("" + call.attempt())
                    .endRow();
        }
        table.end();
    }

    static void failures(Html html, List<CallEvent> failures) {
        HtmlTable table =
                new HtmlTable(html, "Last failed calls", "Time", "Call", "Plugin", "Node", "Volume", "Code", "Took");
        for (CallEvent call : failures) {
            table.row().text(Words.clock(call.at())).text(call.rpc().csiName()).cell();
            Links.plugin(html, call.pluginId());
            table.done().text(call.nodeId().toString()).cell();
            call.volume().ifPresentOrElse(key -> Links.volume(html, key), () -> html.text("-"));
            table.done().cell();
            html.badge(call.code(), OverviewPage.kind(call.code()));
            table.done().number(Words.duration(call.duration())).endRow();
        }
        table.end();
    }
}
