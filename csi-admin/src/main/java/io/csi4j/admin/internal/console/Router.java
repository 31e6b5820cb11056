package io.csi4j.admin.internal.console;

import io.csi4j.admin.internal.http.HttpAnswer;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.NodeView;
import io.csi4j.core.lifecycle.PluginReport;
import io.csi4j.core.lifecycle.VolumeStatus;
import io.csi4j.core.spi.ReplicatedLog;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Answers each path with its page. */
final class Router {
    private static final Map<String, String> ASSETS = Map.of(
            "/assets/console.css", "text/css; charset=utf-8",
            "/assets/console.js", "text/javascript; charset=utf-8",
            "/assets/icon.svg", "image/svg+xml");

    private final LiveReader reader;
    private final EventHistory history;
    private final @Nullable ReplicatedLog log;
    private final Commands commands;

    Router(LiveReader reader, EventHistory history, @Nullable ReplicatedLog log, Commands commands) {
        this.reader = reader;
        this.history = history;
        this.log = log;
        this.commands = commands;
    }

    /**
     * Returns the answer to a request.
     *
     * @throws IllegalArgumentException if a parameter of the request is not a valid id
     * @throws io.csi4j.core.call.CsiException if the engine does not answer
     */
    HttpAnswer answer(Request request) throws IOException {
        String type = ASSETS.get(request.path());
        if (type != null) {
            return asset(request.path(), type);
        }
        return switch (request.path()) {
            case "/" -> page("Overview", "/", html -> OverviewPage.write(html, reader.read(), history.failures()));
            case "/volumes" -> volumes(new VolumesPage(request));
            case "/volume" -> volume(request);
            case "/classes" -> classes(new ClassesPage(request));
            case "/class" -> volumeClass(request);
            case "/waiting" -> waiting(new WaitingPage(request));
            case "/plugins" -> plugins(new PluginsPage(request));
            case "/plugin" -> plugin(request);
            case "/nodes" -> nodes(new NodesPage(request));
            case "/node" -> node(request);
            case "/calls" -> calls(new CallsPage(request));
            case "/log" -> page("Log", "/log", this::log);
            default ->
                ConsolePages.html(
                        404, PageFrame.message("Not found", "There is no such page. Choose one of the pages above."));
        };
    }

    private static HttpAnswer page(String title, String path, Consumer<Html> live) {
        return list(title, path, html -> {}, live);
    }

    /** Returns a page with a form, which stays as it is while the list below it changes. */
    private static HttpAnswer list(String title, String path, Consumer<Html> form, Consumer<Html> live) {
        return ConsolePages.html(200, PageFrame.page(title, path, form, live));
    }

    private HttpAnswer volumes(VolumesPage page) {
        return list("Volumes", "/volumes", page::form, html -> page.write(html, reader));
    }

    private HttpAnswer classes(ClassesPage page) {
        return list("Volume classes", "/classes", page::form, html -> page.write(html, reader));
    }

    private HttpAnswer volumeClass(Request request) {
        VolumeClassName name = VolumeClassName.of(request.parameter("name").orElse(""));
        return ClassesPage.find(reader, name)
                .map(found -> page("Class " + name, "/classes", html -> {
                    ClassesPage.details(html, found);
                    commands.write(html, "/v1/classes/{class}", List.of(Map.of("class", name.value())));
                }))
                .orElseGet(() -> ConsolePages.html(
                        404,
                        PageFrame.message(
                                "Class " + name,
                                "The state has no volume class " + name + ". Check its name, or it was removed.")));
    }

    private HttpAnswer waiting(WaitingPage page) {
        return list("Waiting claims", "/waiting", page::form, html -> page.write(html, reader));
    }

    private HttpAnswer plugins(PluginsPage page) {
        return list("Plugins", "/plugins", page::form, html -> page.write(html, reader));
    }

    private HttpAnswer nodes(NodesPage page) {
        return list("Nodes", "/nodes", page::form, html -> page.write(html, reader));
    }

    private HttpAnswer calls(CallsPage page) {
        return list("Calls", "/calls", page::form, html -> page.write(html, reader, history.failures()));
    }

    private void log(Html html) {
        if (log == null) {
            LogPage.writeNone(html);
        } else {
            LogPage.write(html, log, reader.now());
        }
    }

    private HttpAnswer volume(Request request) {
        VolumeKey key = VolumeKey.of(
                request.parameter("namespace").orElse(""),
                request.parameter("id").orElse(""));
        Optional<VolumeStatus> status =
                LiveReader.joined(reader.lifecycle().claims().status(key));
        if (status.isEmpty()) {
            return ConsolePages.html(
                    404,
                    PageFrame.message(
                            "Volume " + key, "The state has no volume " + key + ". Check its id, or it was removed."));
        }
        return page("Volume " + key, "/volumes", html -> {
            VolumeDetails.write(
                    html, status.get(), history.of(key), reader.read().at());
            commands.write(
                    html,
                    "/v1/volumes/{namespace}/{volume}",
                    known(key, status.get().view().volume()));
        });
    }

    /** Returns the values for commands on a volume, on each of its claims, and on each of its attachments. */
    private static List<Map<String, String>> known(VolumeKey key, Volume volume) {
        Map<String, String> itself = Map.of(
                "namespace", key.namespace().value(), "volume", key.volumeId().value());
        List<Map<String, String>> known = new ArrayList<>();
        known.add(itself);
        for (Claim claim : volume.claims()) {
            known.add(with(itself, "allocation", claim.allocationId().value()));
        }
        for (Attachment attachment : volume.attachments()) {
            known.add(with(itself, "node", attachment.nodeId().value()));
        }
        return known;
    }

    private static Map<String, String> with(Map<String, String> values, String name, String value) {
        Map<String, String> all = new HashMap<>(values);
        all.put(name, value);
        return all;
    }

    private HttpAnswer plugin(Request request) {
        PluginId id = PluginId.of(request.parameter("id").orElse(""));
        Optional<PluginReport> report =
                LiveReader.joined(reader.lifecycle().operator().plugin(id));
        return report.map(found -> page("Plugin " + id, "/plugins", html -> {
                    PluginsPage.details(html, found.plugin(), reader.read());
                    PluginsPage.profile(
                            html, LiveReader.joined(reader.lifecycle().cluster().pluginProfile(id)));
                    commands.write(html, "/v1/plugins/{plugin}", List.of(Map.of("plugin", id.value())));
                }))
                .orElseGet(() -> ConsolePages.html(
                        404, PageFrame.message("Plugin " + id, "The state has no plugin " + id + ".")));
    }

    /** Returns the page of a node, and asks the node's agent for its present report. */
    private HttpAnswer node(Request request) {
        NodeId id = NodeId.of(request.parameter("id").orElse(""));
        if (reader.read().state().node(id).isEmpty()) {
            return ConsolePages.html(404, PageFrame.message("Node " + id, "The state has no node " + id + "."));
        }
        NodeView view = LiveReader.joined(reader.lifecycle().operator().node(id));
        return page("Node " + id, "/nodes", html -> {
            NodesPage.details(html, view, reader.read().at());
            commands.write(html, "/v1/nodes/{node}", List.of(Map.of("node", id.value())));
        });
    }

    private static HttpAnswer asset(String path, String type) throws IOException {
        String name = path.substring(path.lastIndexOf('/') + 1);
        try (InputStream in = Router.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("the file " + name + " is missing in the jar of the console");
            }
            return HttpAnswer.of(200, type, in.readAllBytes());
        }
    }
}
