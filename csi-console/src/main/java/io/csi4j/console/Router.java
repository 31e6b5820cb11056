package io.csi4j.console;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.NodeView;
import io.csi4j.core.lifecycle.PluginReport;
import io.csi4j.core.lifecycle.VolumeStatus;
import io.csi4j.core.lifecycle.health.ServerHealth;
import io.csi4j.core.spi.ReplicatedLog;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
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
    private final ConsoleHistory history;
    private final @Nullable ReplicatedLog log;

    Router(LiveReader reader, ConsoleHistory history, @Nullable ReplicatedLog log) {
        this.reader = reader;
        this.history = history;
        this.log = log;
    }

    /**
     * Returns the answer to a request.
     *
     * @throws IllegalArgumentException if a parameter of the request is not a valid id
     * @throws io.csi4j.core.call.CsiException if the engine does not answer
     */
    Response answer(Request request) throws IOException {
        String type = ASSETS.get(request.path());
        if (type != null) {
            return asset(request.path(), type);
        }
        return switch (request.path()) {
            case "/" -> page("Overview", "/", html -> OverviewPage.write(html, reader.read(), history.failures()));
            case "/volumes" -> volumes(new VolumesPage(request));
            case "/volume" -> volume(request);
            case "/waiting" -> waiting(new WaitingPage(request));
            case "/plugins" -> plugins(new PluginsPage(request));
            case "/plugin" -> plugin(request);
            case "/nodes" -> nodes(new NodesPage(request));
            case "/node" -> node(request);
            case "/calls" -> calls(new CallsPage(request));
            case "/log" -> page("Log", "/log", this::log);
            case "/health" -> health(false);
            default ->
                Response.html(
                        404, PageFrame.message("Not found", "There is no such page. Choose one of the pages above."));
        };
    }

    /** Returns the health of the server. */
    Response health(boolean brief) {
        ServerHealth health = reader.health();
        return Response.json(health.able() ? 200 : 503, brief ? HealthJson.brief(health) : HealthJson.of(health));
    }

    private static Response page(String title, String path, Consumer<Html> live) {
        return list(title, path, html -> {}, live);
    }

    /** Returns a page with a form, which stays as it is while the list below it changes. */
    private static Response list(String title, String path, Consumer<Html> form, Consumer<Html> live) {
        return Response.html(200, PageFrame.page(title, path, form, live));
    }

    private Response volumes(VolumesPage page) {
        return list("Volumes", "/volumes", page::form, html -> page.write(html, reader));
    }

    private Response waiting(WaitingPage page) {
        return list("Waiting claims", "/waiting", page::form, html -> page.write(html, reader));
    }

    private Response plugins(PluginsPage page) {
        return list("Plugins", "/plugins", page::form, html -> page.write(html, reader));
    }

    private Response nodes(NodesPage page) {
        return list("Nodes", "/nodes", page::form, html -> page.write(html, reader));
    }

    private Response calls(CallsPage page) {
        return list("Calls", "/calls", page::form, html -> page.write(html, reader, history.failures()));
    }

    private void log(Html html) {
        if (log == null) {
            LogPage.writeNone(html);
        } else {
            LogPage.write(html, log, reader.now());
        }
    }

    private Response volume(Request request) {
        VolumeKey key = VolumeKey.of(
                request.parameter("namespace").orElse(""),
                request.parameter("id").orElse(""));
        Optional<VolumeStatus> status =
                LiveReader.joined(reader.lifecycle().claims().status(key));
        if (status.isEmpty()) {
            return Response.html(
                    404,
                    PageFrame.message(
                            "Volume " + key, "The state has no volume " + key + ". Check its id, or it was removed."));
        }
        return page(
                "Volume " + key,
                "/volumes",
                html -> VolumeDetails.write(
                        html, status.get(), history.of(key), reader.read().at()));
    }

    private Response plugin(Request request) {
        PluginId id = PluginId.of(request.parameter("id").orElse(""));
        Optional<PluginReport> report =
                LiveReader.joined(reader.lifecycle().operator().plugin(id));
        return report.map(found -> page(
                        "Plugin " + id, "/plugins", html -> PluginsPage.details(html, found.plugin(), reader.read())))
                .orElseGet(() ->
                        Response.html(404, PageFrame.message("Plugin " + id, "The state has no plugin " + id + ".")));
    }

    /** Returns the page of a node, and asks the node's agent for its present report. */
    private Response node(Request request) {
        NodeId id = NodeId.of(request.parameter("id").orElse(""));
        if (reader.read().state().node(id).isEmpty()) {
            return Response.html(404, PageFrame.message("Node " + id, "The state has no node " + id + "."));
        }
        NodeView view = LiveReader.joined(reader.lifecycle().operator().node(id));
        return page(
                "Node " + id,
                "/nodes",
                html -> NodesPage.details(html, view, reader.read().at()));
    }

    private static Response asset(String path, String type) throws IOException {
        String name = path.substring(path.lastIndexOf('/') + 1);
        try (InputStream in = Router.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("the file " + name + " is missing in the jar of the console");
            }
            return new Response(200, type, new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
