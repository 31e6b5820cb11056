package io.csi4j.admin.internal.console;

import io.csi4j.admin.internal.console.ListFilter.Field;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeSummary;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.Optional;
import java.util.stream.Collectors;

/** A page of the list of volumes, with their plugins, holders, waiters and health. */
final class VolumesPage {
    static final int SIZE = 50;

    private static final int HOLDERS = 3;

    private final Request request;
    private final ListFilter filter;

    VolumesPage(Request request) {
        this.request = request;
        this.filter = new ListFilter(
                request,
                "/volumes",
                "volumes",
                Field.text("namespace", "Namespace"),
                Field.text("prefix", "Id begins with"),
                Field.text("plugin", "Plugin"),
                Field.text("node", "Node"),
                Field.text("class", "Class"));
    }

    void form(Html html) {
        filter.form(html);
    }

    private VolumeQuery query() {
        VolumeQuery.Builder query = VolumeQuery.builder().limit(SIZE);
        filter.value("namespace", Namespace::of).ifPresent(query::namespace);
        filter.value("prefix", prefix -> prefix).ifPresent(query::idPrefix);
        filter.value("plugin", PluginId::of).ifPresent(query::pluginId);
        filter.value("node", NodeId::of).ifPresent(query::nodeId);
        filter.value("class", VolumeClassName::of).ifPresent(query::className);
        request.parameter("afterNamespace")
                .flatMap(namespace -> request.parameter("afterId").map(id -> VolumeKey.of(namespace, id)))
                .ifPresent(query::after);
        return query.build();
    }

    void write(Html html, LiveReader reader) {
        ListPage<VolumeSummary, VolumeKey> page =
                LiveReader.joined(reader.lifecycle().volumes().list(query()));
        if (page.items().isEmpty()) {
            html.element("p", "No volume matches.", "class", "empty");
        } else {
            table(html, reader.state(), page);
        }
        boolean first = request.parameter("afterId").isEmpty();
        page.next()
                .ifPresentOrElse(
                        next -> filter.pages(
                                html,
                                first,
                                "afterNamespace",
                                next.namespace().value(),
                                "afterId",
                                next.volumeId().value()),
                        () -> filter.pages(html, first));
    }

    private static void table(Html html, StateReader state, ListPage<VolumeSummary, VolumeKey> page) {
        HtmlTable table = new HtmlTable(
                html,
                "Volumes",
                "Volume",
                "Plugin",
                "Class",
                "State",
                "Size",
                "Access",
                "Mount options",
                "Holders",
                "Waiting",
                "Health");
        for (VolumeSummary item : page.items()) {
            Optional<Volume> volume = state.volume(item.key());
            table.row().cell();
            Links.volume(html, item.key());
            table.done().cell();
            Links.plugin(html, item.pluginId());
            html.text(" " + version(item.plugin()));
            table.done().cell();
            item.classOrigin().ifPresentOrElse(origin -> Links.volumeClass(html, origin.name()), () -> html.text("-"));
            table.done().cell();
            volume.ifPresent(known -> state(html, known));
            table.done().number(size(item.capacityBytes()));
            table.text(access(item)).text(mountOptions(item)).cell();
            volume.ifPresent(known -> holders(html, known));
            table.done().number(item.waiting() == 0 ? "-" : "" + item.waiting()).cell();
            health(html, item);
            table.done().endRow();
        }
        table.end();
    }

    /** Returns the provider and the version of a plugin, as far as they are known. */
    static String version(PluginView plugin) {
        return plugin.provider().orElse("")
                + plugin.vendorVersion().map(version -> " " + version).orElse("");
    }

    private static String access(VolumeSummary item) {
        String allowed = item.access().stream().map(VolumesPage::access).collect(Collectors.joining(", "));
        return item.use()
                .map(use -> access(use) + (item.access().size() > 1 ? "; allows " + allowed : ""))
                .orElse(allowed.isEmpty() ? "-" : allowed);
    }

    static String access(RequestedCapability capability) {
        return Words.of(capability.accessMode()) + " " + Words.of(capability.attachmentMode());
    }

    /** Returns the type of the file system and the number of mount flags, which are not shown. */
    private static String mountOptions(VolumeSummary item) {
        String flags = item.mountFlags() == 0 ? "" : Words.count(item.mountFlags(), "flag", "flags") + " (not shown)";
        String separator = item.fsType().isEmpty() || flags.isEmpty() ? "" : ", ";
        String options = item.fsType() + separator + flags;
        return options.isEmpty() ? "-" : options;
    }

    private static void health(Html html, VolumeSummary item) {
        if (!item.schedulable()) {
            html.badge("no claim possible", "bad").text(" ");
        }
        switch (item.health()) {
            case HEALTHY -> html.badge(item.health(), "good");
            case ABNORMAL -> html.badge(item.health(), "bad").text(" " + String.join("; ", item.problems()));
            case NOT_REPORTED -> html.text(item.schedulable() ? "-" : "");
        }
    }

    private static String size(long bytes) {
        return bytes == 0 ? "-" : Words.bytes(bytes);
    }

    static String size(Volume volume) {
        return size(volume.facts().capacityBytes());
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
        if (volume.isLost()) {
            html.text(" ").badge("lost", "bad");
        }
        if (volume.changing()) {
            html.text(" ").badge("changing", "busy");
        }
        if (volume.retainedSince().isPresent()) {
            html.text(" ").badge("retained", "plain");
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
}
