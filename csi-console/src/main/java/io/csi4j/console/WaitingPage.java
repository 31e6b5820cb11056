package io.csi4j.console;

import io.csi4j.core.lifecycle.WaitingClaim;
import java.time.Instant;
import java.util.List;

/** Writes the page of the waiting claims, oldest first, with the reason why each claim waits. */
final class WaitingPage {
    static final int MAX_DISPLAYED = 100;

    private WaitingPage() {}

    static void write(Html html, Live live) {
        List<WaitingClaim> waiting = live.waiting();
        if (!live.health().leading()) {
            html.element(
                    "p", "Only the leader knows the waiting claims. Open the console of the leader.", "class", "empty");
            return;
        }
        if (waiting.isEmpty()) {
            html.element("p", "No claim waits.", "class", "empty");
            return;
        }
        String displayed = waiting.size() > MAX_DISPLAYED ? "; the " + MAX_DISPLAYED + " oldest are shown" : "";
        html.element("p", Words.count(waiting.size(), "claim waits", "claims wait") + displayed + ".", "class", "note");
        table(html, waiting.stream().limit(MAX_DISPLAYED).toList(), live.at());
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
