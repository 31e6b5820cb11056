package io.csi4j.console;

import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.state.VolumePage;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.HashMap;
import java.util.Map;

/** A page of the list of volumes, with their holders and waiters. */
final class VolumesPage {
    static final int SIZE = 50;

    private static final int HOLDERS = 3;

    private final Request request;

    VolumesPage(Request request) {
        this.request = request;
    }

    /** Writes the form with the filters of the list. Updates of the open page do not change the form. */
    void form(Html html) {
        html.open("form", "method", "get", "action", "/volumes", "role", "search", "class", "filter");
        field(html, "namespace", "Namespace");
        field(html, "prefix", "Id begins with");
        field(html, "plugin", "Plugin");
        field(html, "node", "Node");
        html.element("button", "Filter", "type", "submit");
        html.link("/volumes", "Clear");
        html.close("form");
    }

    private void field(Html html, String name, String label) {
        html.open("label").element("span", label);
        html.open(
                "input",
                "name",
                name,
                "value",
                request.parameter(name).orElse(""),
                "autocomplete",
                "off",
                "maxlength",
                "256");
        html.close("label");
    }

    private VolumeQuery query() {
        VolumeQuery.Builder query = VolumeQuery.builder().limit(SIZE);
        request.parameter("namespace").map(Namespace::of).ifPresent(query::namespace);
        request.parameter("prefix").ifPresent(query::idPrefix);
        request.parameter("plugin").map(PluginId::of).ifPresent(query::pluginId);
        request.parameter("node").map(NodeId::of).ifPresent(query::nodeId);
        request.parameter("afterNamespace")
                .flatMap(namespace -> request.parameter("afterId").map(id -> VolumeKey.of(namespace, id)))
                .ifPresent(query::after);
        return query.build();
    }

    void write(Html html, Live live) {
        VolumePage page = live.state().volumes(query());
        if (page.items().isEmpty()) {
            html.element("p", "No volume matches.", "class", "empty");
        } else {
            table(html, live, page);
        }
        pages(html, page);
    }

    private static void table(Html html, Live live, VolumePage page) {
        Map<VolumeKey, Integer> waiting = new HashMap<>();
        for (WaitingClaim claim : live.waiting()) {
            claim.volume().ifPresent(key -> waiting.merge(key, 1, Integer::sum));
        }
        HtmlTable table = new HtmlTable(html, "Volumes", "Volume", "Plugin", "State", "Size", "Holders", "Waiting");
        for (Volume volume : page.items()) {
            table.row().cell();
            Links.volume(html, volume.key());
            table.done().cell();
            Links.plugin(html, volume.pluginId());
            table.done().cell();
            state(html, volume);
            table.done().number(size(volume));
            table.cell();
            holders(html, volume);
            table.done();
            int waiters = waiting.getOrDefault(volume.key(), 0);
            table.number(waiters == 0 ? "-" : "" + waiters).endRow();
        }
        table.end();
    }

    static String size(Volume volume) {
        long bytes = volume.facts().capacityBytes();
        return bytes == 0 ? "-" : Words.bytes(bytes);
    }

    /** Writes badges for the state of a volume: its phase or its use, and whether a requested change is in progress. */
    static void state(Html html, Volume volume) {
        boolean releasing = volume.claims().size() > volume.claims().count(ClaimState.TAKEN);
        boolean attached = volume.attachments().count(AttachmentState.PUBLISHED) > 0;
        if (volume.phase() != VolumePhase.AVAILABLE) {
            html.badge(volume.phase(), "busy");
        } else if (releasing) {
            html.badge("releasing", "busy");
        } else if (volume.attachments().unsettled() > 0) {
            html.badge(volume.claims().isEmpty() ? "detaching" : "publishing", "busy");
        } else if (!volume.claims().isEmpty()) {
            html.badge("in use", "good");
        } else {
            html.badge(attached ? "attached" : "free", "plain");
        }
        if (volume.changing()) {
            html.text(" ").badge("changing", "busy");
        }
    }

    private static void holders(Html html, Volume volume) {
        if (volume.claims().isEmpty()) {
            html.text("-");
            return;
        }
        int displayed = 0;
        for (Claim claim : volume.claims()) {
            if (displayed == HOLDERS) {
                html.text(" and " + (volume.claims().size() - HOLDERS) + " more");
                return;
            }
            html.text((displayed == 0 ? "" : ", ") + claim.allocationId() + " on " + claim.nodeId());
            displayed++;
        }
    }

    private void pages(Html html, VolumePage page) {
        html.open("nav", "class", "pages", "aria-label", "Pages of volumes");
        if (request.parameter("afterId").isPresent()) {
            html.link(address("", ""), "First page", "id", "first-page");
        }
        page.next()
                .ifPresent(next -> html.link(
                        address(next.namespace().value(), next.volumeId().value()),
                        "Next page",
                        "id",
                        "next-page",
                        "rel",
                        "next"));
        html.close("nav");
    }

    private String address(String afterNamespace, String afterId) {
        return Request.address(
                "/volumes",
                "namespace",
                request.parameter("namespace").orElse(""),
                "prefix",
                request.parameter("prefix").orElse(""),
                "plugin",
                request.parameter("plugin").orElse(""),
                "node",
                request.parameter("node").orElse(""),
                "afterNamespace",
                afterNamespace,
                "afterId",
                afterId);
    }
}
