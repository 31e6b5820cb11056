package io.csi4j.admin.internal.console;

import io.csi4j.admin.internal.console.ListFilter.Field;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.lifecycle.QuotaQuery;
import io.csi4j.core.lifecycle.QuotaView;
import io.csi4j.core.lifecycle.VolumeClassQuery;
import io.csi4j.core.lifecycle.VolumeClassView;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.volume.QuotaKey;
import java.util.Optional;
import java.util.stream.Collectors;

/** Writes the page of all volume classes, and the page of one class. */
final class ClassesPage {
    private static final int SIZE = 50;

    private final ListFilter filter;

    ClassesPage(Request request) {
        this.filter = new ListFilter(
                request,
                "/classes",
                "classes",
                Field.text("prefix", "Name begins with"),
                Field.text("namespace", "Usable in namespace"));
    }

    void form(Html html) {
        filter.form(html);
    }

    void write(Html html, LiveReader reader) {
        ListPage<VolumeClassView, VolumeClassName> page = LiveReader.joined(reader.lifecycle()
                .classes()
                .list(new VolumeClassQuery(
                        filter.value("namespace", Namespace::of),
                        filter.value("prefix", prefix -> prefix).orElse(""),
                        filter.value("after", VolumeClassName::of),
                        SIZE)));
        if (page.items().isEmpty()) {
            html.element("p", "No volume class matches.", "class", "empty");
        } else {
            table(html, page);
        }
        filter.pages(html, page.next().map(VolumeClassName::value));
        quotas(html, reader);
    }

    /** Writes the first quotas of the namespace, or of all. */
    private void quotas(Html html, LiveReader reader) {
        ListPage<QuotaView, QuotaKey> page = LiveReader.joined(reader.lifecycle()
                .quotas()
                .list(new QuotaQuery(filter.value("namespace", Namespace::of), Optional.empty(), SIZE)));
        if (page.items().isEmpty()) {
            return;
        }
        html.element("h2", "Quotas");
        HtmlTable table = new HtmlTable(html, "Quotas", "Namespace", "Class", "Volumes", "Size", "Over a limit");
        for (QuotaView view : page.items()) {
            table.row()
                    .text(view.key().namespace().toString())
                    .text(view.key().className().map(VolumeClassName::toString).orElse("all"))
                    .text(view.use().volumes()
                            + (view.volumes().isPresent()
                                    ? " of " + view.volumes().getAsLong()
                                    : ""))
                    .text(Words.bytes(view.use().bytes())
                            + (view.bytes().isPresent()
                                    ? " of " + Words.bytes(view.bytes().getAsLong())
                                    : ""))
                    .text(view.over() ? "yes" : "no")
                    .endRow();
        }
        table.end();
        if (page.next().isPresent()) {
            html.element("p", "There are more; 'csi quota list' shows all of them.");
        }
    }

    private static void table(Html html, ListPage<VolumeClassView, VolumeClassName> page) {
        HtmlTable table = new HtmlTable(
                html,
                "Volume classes",
                "Class",
                "Plugin",
                "Size",
                "Access",
                "Place",
                "At the end",
                "Namespaces",
                "Volumes");
        for (VolumeClassView view : page.items()) {
            table.row().cell();
            Links.volumeClass(html, view.name());
            table.done().cell();
            Links.plugin(html, view.pluginId());
            table.done().text(sizes(view)).text(access(view)).text(Words.of(view.binding()));
            table.text(Words.of(view.reclaim())).text(namespaces(view)).cell();
            Links.volumesOf(html, view.name());
            table.done().endRow();
        }
        table.end();
    }

    /** Writes one class. Its parameters, mount flags and secrets are counted only. */
    static void details(Html html, VolumeClassView view) {
        html.open("dl", "class", "facts");
        fact(html, "Plugin", () -> Links.plugin(html, view.pluginId()));
        fact(html, "Sizes", () -> html.text(sizes(view)));
        fact(
                html,
                "Default size",
                () -> html.text(view.defaultCapacity().map(ClassesPage::range).orElse("none")));
        fact(html, "Access", () -> html.text(access(view)));
        fact(
                html,
                "Topologies",
                () -> html.text(
                        view.allowedTopologies().isEmpty()
                                ? "all"
                                : view.allowedTopologies().stream()
                                        .map(topology -> topology.segments().toString())
                                        .collect(Collectors.joining(", "))));
        fact(html, "Place", () -> html.text("chosen " + Words.of(view.binding())));
        fact(html, "Known capacity", () -> html.text(Words.of(view.capacityCheck())));
        fact(html, "When the owner ends", () -> html.text(Words.of(view.reclaim())));
        fact(html, "Made by claims", () -> html.text(view.useByTemplate() ? "yes" : "no"));
        fact(html, "Namespaces", () -> html.text(namespaces(view)));
        fact(
                html,
                "Not shown",
                () -> html.text(Words.count(view.parameters(), "parameter", "parameters") + ", "
                        + Words.count(view.mutableParameters(), "mutable parameter", "mutable parameters") + ", "
                        + Words.count(view.mountFlags(), "mount flag", "mount flags") + ", "
                        + Words.count(view.secrets(), "secret", "secrets")));
        fact(html, "Incarnation", () -> html.text("" + view.createIndex()));
        fact(html, "Last change", () -> html.text("index " + view.modifyIndex()));
        fact(html, "Volumes", () -> Links.volumesOf(html, view.name()));
        html.close("dl");
    }

    private static void fact(Html html, String name, Runnable value) {
        html.open("div").element("dt", name).open("dd");
        value.run();
        html.close("dd").close("div");
    }

    private static String sizes(VolumeClassView view) {
        return view.leastBytes() == 0 && view.greatestBytes() == 0
                ? "any"
                : range(new CapacityRange(view.leastBytes(), view.greatestBytes()));
    }

    private static String range(CapacityRange range) {
        String least = Words.bytes(range.requiredBytes());
        String most = Words.bytes(range.limitBytes());
        if (range.limitBytes() == 0) {
            return least + " or more";
        }
        return range.requiredBytes() == 0 ? "at most " + most : least + " to " + most;
    }

    private static String access(VolumeClassView view) {
        return view.requestedCapabilities().stream().map(VolumesPage::access).collect(Collectors.joining(", "));
    }

    private static String namespaces(VolumeClassView view) {
        return view.namespaces().isEmpty()
                ? "all"
                : view.namespaces().stream().map(Namespace::toString).collect(Collectors.joining(", "));
    }

    /** Returns a class; empty if there is none of this name. */
    static Optional<VolumeClassView> find(LiveReader reader, VolumeClassName name) {
        return LiveReader.joined(reader.lifecycle()
                        .classes()
                        .list(new VolumeClassQuery(Optional.empty(), name.value(), Optional.empty(), 1)))
                .items()
                .stream()
                .filter(view -> view.name().equals(name))
                .findFirst();
    }
}
