package io.csi4j.admin.internal.console;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.CallFailure;
import io.csi4j.core.lifecycle.VolumeStatus;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.FirstClaim;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOwner;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Writes the page of one volume: its state, holders, waiting claims, remaining work and history. */
final class VolumeDetails {
    private static final int ROWS = 200;
    private static final int EVENTS = 60;

    private final Html html;
    private final VolumeStatus status;
    private final Volume volume;
    private final Instant now;

    private VolumeDetails(Html html, VolumeStatus status, Instant now) {
        this.html = html;
        this.status = status;
        this.volume = status.view().volume();
        this.now = now;
    }

    static void write(Html html, VolumeStatus status, List<HistoryEvent> events, Instant now) {
        VolumeDetails page = new VolumeDetails(html, status, now);
        page.facts();
        page.claims();
        page.waiting();
        page.attachments();
        page.remaining();
        page.onNodes();
        page.failures();
        page.history(events);
    }

    private void facts() {
        html.open("dl", "class", "facts");
        fact("State", () -> VolumesPage.state(html, volume));
        fact("Plugin", () -> {
            Links.plugin(html, volume.pluginId());
            if (!status.view().plugin().schedulable()) {
                html.text(" ").badge("cannot take claims", "bad");
            }
        });
        fact("Size", () -> html.text(VolumesPage.size(volume)));
        volume.classOrigin()
                .ifPresent(origin -> fact("Class", () -> {
                    Links.volumeClass(html, origin.name());
                    html.text(" incarnation " + origin.incarnation() + ", as of index " + origin.version());
                }));
        volume.owner().ifPresent(owner -> fact("Owner", () -> html.text(owner(owner))));
        volume.firstClaim()
                .ifPresent(first -> fact("Made for", () -> {
                    html.text("allocation " + first.allocationId() + " on ");
                    Links.node(html, first.nodeId());
                    if (first.together().size() > 1) {
                        html.text(", together with " + others(first));
                    }
                }));
        volume.formerKey()
                .ifPresent(key -> fact(
                        "Given up", () -> html.text("was to be made as " + key + ", which another volume may be now")));
        fact(
                "External id",
                () -> html.text(volume.externalVolumeId().map(Object::toString).orElse("not known yet")));
        volume.verification().ifPresent(known -> fact("Since the restore", () -> html.text(verification(known))));
        fact("Origin", () -> html.text(Words.of(volume.origin())));
        fact(
                "Last change",
                () -> html.text(Words.time(volume.modifiedAt()) + ", " + Words.age(volume.modifiedAt(), now) + " ago"));
        retry(volume.retry()).ifPresent(text -> fact("Last error", () -> html.text(text)));
        html.close("dl");
    }

    private String verification(Verification known) {
        return Words.of(known.stage())
                + known.decidedAt()
                        .map(at -> " since " + Words.time(at) + ", " + Words.age(at, now) + " ago")
                        .orElse("")
                + (known.notFound() == 0 ? "" : "; the provider did not have it " + known.notFound() + " times")
                + retry(known.retry()).map(text -> "; failed attempts: " + text).orElse("")
                + known.remedy().map(text -> "; " + text).orElse("");
    }

    private String owner(VolumeOwner owner) {
        return owner.ofAllocation()
                .map(allocation -> "allocation " + allocation)
                .orElseGet(() -> owner.ofWorkload()
                        .map(of -> "workload " + of.workload()
                                + of.endedAt()
                                        .map(at -> ", which ended " + Words.age(at, now) + " ago")
                                        .orElse(""))
                        .orElse(""));
    }

    private String others(FirstClaim first) {
        return first.together().stream()
                .filter(key -> !key.equals(volume.key()))
                .map(VolumeKey::toString)
                .collect(Collectors.joining(", "));
    }

    private void fact(String name, Runnable value) {
        html.open("div").element("dt", name).open("dd");
        value.run();
        html.close("dd").close("div");
    }

    private void claims() {
        section("holders", "Holders");
        if (volume.claims().isEmpty()) {
            html.element("p", "No allocation holds the volume.", "class", "empty");
        } else {
            HtmlTable table = new HtmlTable(html, "Holders", "Allocation", "Node", "Mode", "State", "Failed attempts");
            int displayed = 0;
            for (Claim claim : volume.claims()) {
                if (displayed++ == ROWS) {
                    break;
                }
                table.row().text(claim.allocationId().toString()).cell();
                Links.node(html, claim.nodeId());
                table.done().text(Words.of(claim.mode()) + label(claim)).cell();
                html.badge(claim.state(), claim.state() == ClaimState.TAKEN ? "good" : "busy");
                table.done().text(retry(claim.retry()).orElse("-")).endRow();
            }
            table.end();
            more(volume.claims().size());
        }
        html.close("section");
    }

    private static String label(Claim claim) {
        return claim.mountOptions()
                .securityLabel()
                .map(label -> ", label " + label.context())
                .orElse("");
    }

    private void more(int size) {
        if (size > ROWS) {
            html.element("p", (size - ROWS) + " more are not shown.", "class", "note");
        }
    }

    private void waiting() {
        section("waiters", "Waiting claims");
        if (status.waiting().isEmpty()) {
            html.element("p", "No claim waits for the volume.", "class", "empty");
        } else {
            HtmlTable table = new HtmlTable(html, "Waiting claims", "Allocation", "Waits for", "Reason");
            for (WaitingClaim claim : status.waiting().stream().limit(ROWS).toList()) {
                table.row().text(claim.allocationId().toString()).number(Words.duration(claim.age(now)));
                table.cell();
                WaitingPage.reason(html, claim);
                table.done().endRow();
            }
            table.end();
            more(status.waiting().size());
        }
        html.close("section");
    }

    private void attachments() {
        if (volume.attachments().isEmpty()) {
            return;
        }
        section("attachments", "Attachments");
        HtmlTable table = new HtmlTable(html, "Attachments", "Node", "State", "Access", "Failed attempts");
        int displayed = 0;
        for (Attachment attachment : volume.attachments()) {
            if (displayed++ == ROWS) {
                break;
            }
            table.row().cell();
            Links.node(html, attachment.nodeId());
            table.done().cell();
            html.badge(attachment.state(), attachment.state() == AttachmentState.PUBLISHED ? "good" : "busy");
            table.done()
                    .text(attachment.readonly() ? "read-only" : "read and write")
                    .text(retry(attachment.retry()).orElse("-"))
                    .endRow();
        }
        table.end();
        more(volume.attachments().size());
        html.close("section");
    }

    private void onNodes() {
        if (status.onNodes().isEmpty()) {
            return;
        }
        section("on-nodes", "On the nodes");
        HtmlTable table = new HtmlTable(html, "On the nodes", NodesPage.headers("Node"));
        for (VolumeStatus.OnNode reported :
                status.onNodes().stream().limit(ROWS).toList()) {
            table.row().cell();
            Links.node(html, reported.nodeId());
            table.done();
            NodesPage.reported(table, reported.volume());
            table.endRow();
        }
        table.end();
        more(status.onNodes().size());
        html.close("section");
    }

    private Optional<String> retry(Retry retry) {
        if (retry.attempts() == 0 && retry.lastError().isEmpty()) {
            return Optional.empty();
        }
        String next = retry.nextRetry()
                .map(at -> at.isAfter(now) ? "; next attempt in " + Words.age(now, at) : "; next attempt now")
                .orElse("");
        return Optional.of(
                retry.attempts() + retry.lastError().map(error -> ": " + error).orElse("") + next);
    }

    private void remaining() {
        RemainingWork work = status.remaining();
        if (work.isDone() && status.unfinishedOnNodes().isEmpty()) {
            return;
        }
        section("remaining", "Remaining work");
        html.open("ul");
        for (RemainingWork.Step step : work.steps()) {
            html.open("li").badge("next", "good");
            html.text(" " + Words.of(step.kind()) + where(step.nodeId(), step.allocationId()));
            html.close("li");
        }
        for (RemainingWork.Wait wait : work.waits()) {
            html.open("li").badge("waits", "busy");
            html.text(" " + Words.of(wait.reason()) + where(wait.nodeId(), wait.allocationId())
                    + wait.until()
                            .filter(at -> at.isAfter(now))
                            .map(at -> ", for " + Words.age(now, at))
                            .orElse(""));
            html.close("li");
        }
        for (VolumeStatus.OnNode reported : status.unfinishedOnNodes()) {
            html.open("li").badge("on the node", "busy");
            html.text((reported.volume().isUnmounting() ? " unmount" : " mount")
                    + where(Optional.of(reported.nodeId()), Optional.empty()));
            html.close("li");
        }
        html.close("ul").close("section");
    }

    /** Writes the last failures with the plugin's own words, which are in no stored error. */
    private void failures() {
        if (status.failures().isEmpty()) {
            return;
        }
        section("failures", "What the plugin said");
        HtmlTable table = new HtmlTable(html, "What the plugin said", "Call", "Node", "Failures", "Last", "Text");
        for (CallFailure failure : status.failures()) {
            table.row()
                    .text(failure.rpc().csiName())
                    .text(failure.nodeId().map(Object::toString).orElse("-"))
                    .number(failure.failures() + " since " + Words.clock(failure.since()))
                    .number(Words.age(failure.at(), now) + " ago")
                    .text(failure.text())
                    .endRow();
        }
        table.end();
        html.close("section");
    }

    private static String where(Optional<?> node, Optional<?> allocation) {
        return node.map(id -> ", node " + id).orElse("")
                + allocation.map(id -> ", allocation " + id).orElse("");
    }

    private void history(List<HistoryEvent> events) {
        section("history", "History");
        if (events.isEmpty()) {
            html.element(
                    "p",
                            "This server has no events of the volume; it keeps the last events of all volumes since its start.",
                    "class", "empty");
        } else {
            List<HistoryEvent> displayed = events.subList(Math.max(0, events.size() - EVENTS), events.size());
            if (displayed.size() < events.size()) {
                html.element(
                        "p", (events.size() - displayed.size()) + " earlier events are not shown.", "class", "note");
            }
            html.open(
                    "div",
                    "class",
                    "scroll",
                    "id",
                    "sequence",
                    "tabindex",
                    "0",
                    "role",
                    "group",
                    "aria-label",
                    "Sequence diagram");
            SequenceDiagram.write(displayed, html);
            html.close("div");
            html.open("details", "id", "event-table").element("summary", "The same events as a table");
            HtmlTable table = new HtmlTable(html, "Events", "Time", "Event", "Time taken");
            for (HistoryEvent event : displayed) {
                table.row().text(Words.clock(event.at())).cell();
                html.text(event.text());
                if (event.failed()) {
                    html.text(" ").badge("failed", "bad");
                }
                table.done()
                        .number(event.call()
                                .map(call -> Words.duration(call.duration()))
                                .orElse("-"))
                        .endRow();
            }
            table.end();
            html.close("details");
        }
        html.close("section");
    }

    private void section(String id, String title) {
        html.open("section", "aria-labelledby", id).element("h2", title, "id", id);
    }
}
