package io.csi4j.console;

import io.csi4j.core.lifecycle.PluginCall;
import io.csi4j.core.spi.CallEvent;
import java.util.List;

/** A page of the calls to plugins that have not ended, and of the calls that failed last. */
final class CallsPage {
    static final int MAX_DISPLAYED = 100;

    private CallsPage() {}

    static void write(Html html, Live live, List<CallEvent> failures) {
        List<PluginCall> calls = live.calls();
        long inFlight = calls.stream().filter(PluginCall::inFlight).count();
        String displayed = calls.size() > MAX_DISPLAYED ? "; the " + MAX_DISPLAYED + " oldest are shown" : "";
        html.open("section", "aria-labelledby", "open").element("h2", "Calls that have not ended", "id", "open");
        if (calls.isEmpty()) {
            html.element("p", "No call is in flight or waits.", "class", "empty");
        } else {
            html.element(
                    "p",
                    inFlight + " in flight, " + (calls.size() - inFlight) + " wait for a permit" + displayed + ".",
                    "class",
                    "note");
            open(html, live);
        }
        html.close("section");
        html.open("section", "aria-labelledby", "failed").element("h2", "Last failed calls", "id", "failed");
        if (failures.isEmpty()) {
            html.element("p", "No call has failed since this server started.", "class", "empty");
        } else {
            failures(html, failures);
        }
        html.close("section");
    }

    private static void open(Html html, Live live) {
        HtmlTable table =
                new HtmlTable(html, "Calls that have not ended", "Call", "Plugin", "Volume", "State", "For", "Attempt");
        for (PluginCall call : live.calls().stream().limit(MAX_DISPLAYED).toList()) {
            table.row().text(call.rpc().csiName()).cell();
            Links.plugin(html, call.pluginId());
            table.done().cell();
            call.volume().ifPresentOrElse(key -> Links.volume(html, key), () -> html.text("-"));
            table.done().cell();
            html.badge(call.inFlight() ? "in flight" : "in the queue", call.inFlight() ? "good" : "busy");
            call.nodeId().ifPresent(node -> html.text(" on " + node));
            table.done()
                    .number(Words.duration(call.age(live.at())))
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
